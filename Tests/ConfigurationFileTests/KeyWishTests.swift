import Foundation
import TestSupport
import Testing

@testable import ConfigurationFile

struct KeyWishTests {
    private static let words = Set(KeyWish.all.flatMap(\.words)).sorted()

    @Test func `at least fifty foreign keys are known, and each has one meaning within a section`() {
        #expect(KeyWish.all.count >= 50)
        var seen: Set<String> = []
        for wish in KeyWish.all {
            #expect(!wish.words.isEmpty)
            for word in wish.words {
                let owner = if case .key(_, let section) = wish.answer { section.title } else { "not supported" }
                #expect(seen.insert(owner + " " + word).inserted, "\(owner): \(word)")
            }
        }
    }

    @Test func `each foreign key leads to a key that can be reached from the top of the file`() {
        let places = KeyPlaces(below: FileKeys.section)
        for case (let words, .key(let key, let section)) in KeyWish.all.map({ ($0.words, $0.answer) }) {
            #expect(places.place(of: key, in: section) != nil, "\(words)")
        }
    }

    @Test func `every unsupported feature has a row in docs/not-supported.md`() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/not-supported.md")
            .standardized
        let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("| ") }
        for case .unsupported(let row) in KeyWish.all.map(\.answer) {
            #expect(rows.contains { $0.hasPrefix("| " + row) }, "\(row)")
        }
    }

    @Test func `no foreign key is answered with a list of known keys, wherever it is written`() throws {
        let base = try ProblemCase.base()
        let members = Self.words.map { "\($0): x" }
        let flow = members.joined(separator: ", ")
        let files = [
            members.joined(separator: "\n") + "\n" + base,
            base.replacing(
                "issuers: [partner]", with: "issuers: [partner]\n    " + members.joined(separator: "\n    ")),
            base.replacing("ANY /**: authenticated", with: "ANY /**: {\(flow)}", maxReplacements: 1),
            base.replacing("http://127.0.0.1:9000", with: "{targets: \"http://127.0.0.1:9000\", \(flow)}"),
            base.replacing("listen: 127.0.0.1:8080", with: "listen: {address: 127.0.0.1:8080, \(flow)}"),
        ]
        for file in files {
            let problems = Configuration.load(text: file, directory: ProblemCase.directory, environment: [:]).problems
            let unknown = problems.filter { $0.message == "unknown key" }
            #expect(unknown.count > Self.words.count * 3 / 4)
            #expect(unknown.filter { $0.hint?.hasPrefix("known here") != false }.map(\.keyPath) == [])
        }
    }

    @Test(arguments: ["rateLimit", "rate-limit", "rate_limit", "RateLimit", "rate_Limit"])
    func `several spellings of a foreign key lead to the same key`(_ spelling: String) throws {
        guard case .key(let key, let section)? = KeyWish.of(spelling, in: ResourceKeys.section.title)?.answer else {
            Issue.record("\(spelling)")
            return
        }
        #expect([section.title, key] == [FileKeys.section.title, "quotas"])
    }

    @Test(arguments: ["rate_limits_of_mine", "", "-", "ratelimi", "🔑", "_"])
    func `no similar word is taken for a foreign key`(_ spelling: String) {
        #expect(KeyWish.of(spelling, in: FileKeys.section.title) == nil)
    }
}

struct KeyPlacesTests {
    @Test func `every key of every section is found from the top, except those that all issuers share`() {
        let places = KeyPlaces(below: FileKeys.section)
        // Keys that every issuer has are shown once in the reference, and can be set on each issuer.
        let elsewhere = [IssuerKeys.section.title, IssuerRequirementKeys.section.title]
        for section in ConfigurationReference.sections where !elsewhere.contains(section.title) {
            for key in section.keys {
                #expect(places.place(of: key.name, in: section) != nil, "\(section.title): \(key.name)")
            }
        }
    }

    @Test func `the path to a key is written as in the file`() {
        let places = KeyPlaces(below: FileKeys.section)
        let written = { (name: String, section: SectionReference) in places.place(of: name, in: section)?.written }
        #expect(written("level", LogKeys.section) == "log: {level: warning}")
        #expect(written("max_age", CrossOriginKeys.section) == "resources: {…: {cors: {origins: …, max_age: 1h}}}")
        #expect(
            written("claim", HashKeys.section)
                == "resources: {…: {upstream: {targets: …, balance: {hash: {claim: sub}}}}}")
        #expect(written("from", DoorKeys.section) == "doors: [{kind: …, address: …, from: [127.0.0.1/32]}]")
        #expect(KeyPlaces(below: ResourceKeys.section).place(named: "level") == nil)
    }
}
