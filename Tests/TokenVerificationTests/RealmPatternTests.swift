import TestSupport
import Testing
import TokenVerification

@Suite struct RealmPatternTests {
    private func pattern(_ text: String = "https://id.example/realms/{realm}", glob: String) throws -> RealmPattern {
        try #require(RealmPattern(text, names: .matching(try ClaimPattern(glob))))
    }

    private func pattern(_ text: String = "https://id.example/realms/{realm}", _ names: String...) throws
        -> RealmPattern
    {
        try #require(RealmPattern(text, names: .listed(names)))
    }

    @Test(arguments: [
        "https://id.example/realms/{realm}", "https://id.example/{realm}", "https://id.example/{realm}/v2.0",
    ])
    func `the placeholder is one whole segment`(text: String) throws {
        let pattern = try pattern(text, "acme")
        #expect(pattern.description == text)
        #expect(pattern.realm(of: text.replacing("{realm}", with: "acme")) == "acme")
    }

    @Test(arguments: [
        "", "https://id.example/realms", "https://id.example/r-{realm}", "https://id.example/{realm}x",
        "https://{realm}.id.example", "https://id.example/{realm}/{realm}", "https://id.example/{realms}",
    ])
    func `a placeholder elsewhere, or twice, is refused`(text: String) {
        #expect(RealmPattern(text, names: .listed(["a"])) == nil)
    }

    @Test func `a name is 1 to 64 letters, digits, dots, underscores and hyphens, a letter or digit first`() {
        let good = ["a", "A", "0", "acme", "cust-1", "a.b_c-d", "a..b", String(repeating: "x", count: 64)]
        let bad = [
            "", "-a", ".a", "_a", "..", ".", "a/b", "a%2Fb", "a b", "a?b", "a#b", "a:b", "a\\b", "é", "a\u{301}", "a\0",
            "a\n", "{realm}", String(repeating: "x", count: 65),
        ]
        for name in good { #expect(RealmPattern.isName(name), "\(name)") }
        for name in bad { #expect(!RealmPattern.isName(name), "\(name)") }
    }

    @Test func `every byte is judged at the first and at a later place of a name`() {
        let letters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
        for byte in UInt8(0)...127 {
            let character = String(decoding: [byte], as: UTF8.self)
            #expect(RealmPattern.isName(character) == letters.contains(byte), "\(byte)")
            #expect(RealmPattern.isName("a" + character) == (letters.contains(byte) || [45, 46, 95].contains(byte)))
        }
    }

    @Test(arguments: [
        ("https://id.example/realms/cust-1", "cust-1"), ("https://id.example/realms/cust-", nil),
        ("https://id.example/realms/acme", nil), ("https://id.example/realms/Cust-1", nil),
        ("https://id.example/realms/cust-1/", nil), ("https://id.example/realms/cust-1/x", nil),
        ("https://id.example/realms/cust-a%2Fb", nil), ("https://id.example/realms/cust-1?x", nil),
        ("https://id.example/realms/", nil), ("https://id.example/realms/{realm}", nil),
        ("https://ID.example/realms/cust-1", nil), ("https://id.example//realms/cust-1", nil),
        ("http://id.example/realms/cust-1", nil), ("https://id.example/realms/cust-é", nil),
        (
            "https://id.example/realms/cust-" + String(repeating: "x", count: 59),
            "cust-" + String(repeating: "x", count: 59)
        ),
        ("https://id.example/realms/cust-" + String(repeating: "x", count: 60), nil),
    ])
    func `the realm of an iss is read byte for byte`(issuer: String, realm: String?) throws {
        #expect(try pattern(glob: "cust-*").realm(of: issuer) == realm)
        #expect(IssuerIdentifier(try pattern(glob: "cust-*")).matches(issuer) == (realm != nil))
    }

    @Test func `text behind the realm belongs to the iss, and is not shared with the name`() throws {
        let pattern = try pattern("https://id.example/{realm}/v2", glob: "a*")
        #expect(pattern.realm(of: "https://id.example/ab/v2") == "ab")
        #expect(pattern.realm(of: "https://id.example/ab/v2/v2") == nil)
        #expect(pattern.realm(of: "https://id.example/v2") == nil)
        #expect(pattern.place(of: "ab") == "https://id.example/ab/")
    }

    @Test func `patterns that share an iss are found, and no others`() throws {
        let listed = try pattern("https://id.example/realms/{realm}", "acme", "cust-9")
        #expect(listed.common(with: try pattern(glob: "cust-*")) == "https://id.example/realms/cust-9")
        #expect(try pattern(glob: "cust-*").common(with: listed) == "https://id.example/realms/cust-9")
        #expect(listed.common(with: try pattern(glob: "b*")) == nil)
        #expect(try pattern(glob: "a*").common(with: try pattern(glob: "*b")) == "https://id.example/realms/ab")
        #expect(try pattern(glob: "a*").common(with: try pattern(glob: "b*")) == nil)
        #expect(try pattern(glob: "*-a").common(with: try pattern(glob: "*-b")) == nil)
        #expect(try pattern(glob: "a*c*e").common(with: try pattern(glob: "*b*d*")) != nil)
        #expect(try pattern("https://other.example/{realm}", "acme").common(with: listed) == nil)
        // The literal `realms` of one is the realm of the other.
        let crossing = try pattern("https://id.example/{realm}/acme", glob: "r*")
        #expect(crossing.common(with: listed) == "https://id.example/realms/acme")
        #expect(listed.common(with: crossing) == "https://id.example/realms/acme")
    }

    @Test func `examples tell patterns from each other and from fixed values`() throws {
        let place = "https://id.example/realms/"
        func names(_ patterns: [RealmPattern], besides fixed: [String] = []) -> Set<String> {
            Set(
                RealmPattern.examples(of: patterns, besides: fixed.map { place + $0 }).map {
                    $0.dropFirst(place.utf8.count)
                }
                .map(String.init))
        }
        #expect(names([try pattern(glob: "*b"), try pattern(glob: "a*")]) == ["cb", "ab", "ac"])
        #expect(try pattern(glob: "cust-*").exampleNames.allSatisfy(try pattern(glob: "cust-*").accepts))
        #expect(try pattern(glob: "-*").exampleNames.isEmpty)
        // A glob that ends in a literal, beside listed and fixed names that it accepts.
        let wide = names(
            [try pattern(glob: "*-eu"), try pattern("\(place){realm}", "a-eu", "0-eu")], besides: ["b-eu", "1-eu"])
        #expect(wide.isSuperset(of: ["a-eu", "0-eu"]) && wide.isDisjoint(with: ["b-eu", "1-eu"]))
        #expect(wide.count == 3)
        #expect(
            names([try pattern("\(place){realm}", "a1", "b1"), try pattern(glob: "a*")]).isSuperset(of: ["a1", "b1"]))
        // The literal `realms` of one is the realm of the other.
        let crossing = try pattern("https://id.example/{realm}/acme", glob: "r*")
        #expect(names([crossing, try pattern(glob: "a*")]).contains("acme"))
    }

    /// Compared with a search through all names of up to four letters.
    @Test func `overlaps and differences of patterns are those of all short names`() throws {
        var random = SeededGenerator(seed: 44)
        let letters = ["a", "b", "-"]
        var names = [""]
        var all: [String] = []
        for _ in 0..<5 {
            names = names.flatMap { name in letters.map { name + $0 } }
            all += names.filter(RealmPattern.isName)
        }
        func glob() -> ClaimPattern? {
            let elements = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                Int.random(in: 0..<3, using: &random) == 0 ? "*" : letters.randomElement(using: &random) ?? "a"
            }
            return try? ClaimPattern(elements.joined())
        }
        var compared = 0
        for _ in 0..<400 {
            guard let one = glob(), let other = glob() else { continue }
            let left = try #require(RealmPattern("/{realm}", names: .matching(one)))
            let right = try #require(RealmPattern("/{realm}", names: .matching(other)))
            let shared = all.contains { left.accepts($0) && right.accepts($0) }
            #expect((left.common(with: right) != nil) == shared, "\(one) \(other)")
            let fixed = Set((0..<3).compactMap { _ in all.randomElement(using: &random) })
            let examples = RealmPattern.examples(of: [left, right], besides: fixed.map { "/" + $0 })
            let classes = { (names: [String]) in
                Set(names.filter { !fixed.contains($0) }.map { [left.accepts($0), right.accepts($0)] })
            }
            #expect(
                classes(examples.map { String($0.dropFirst()) }).isSuperset(
                    of: classes(all).subtracting([[false, false]])))
            #expect(fixed.isDisjoint(with: examples.map { String($0.dropFirst()) }))
            compared += 1
        }
        #expect(compared > 100)
    }
}
