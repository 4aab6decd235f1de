import NameLookup
import NetworkNames
import TestSupport
import Testing

@testable import ReverseProxy

/// The file of saved addresses, and which of its content is accepted.
struct SavedNamesTests {
    private static let boot = "01234567-89ab-cdef-0123-456789abcdef"
    private static let hour: Int64 = 3_600_000

    private static func answer(_ addresses: [String] = ["10.0.0.1"], at learntAt: Int64 = 5) -> SavedNames.Answer {
        SavedNames.Answer(addresses.compactMap { IPAddress($0) }, learntAt: learntAt)
    }

    private static let sample = SavedNames([
        "shop.internal": answer(["10.0.0.1", "192.0.2.7", "2001:db8::1"], at: 1000), "a": answer(["::1"], at: 0),
        "_grpc._tcp.Orders-2.internal": answer(["127.0.0.1"], at: 2000),
    ])

    private static func read(_ text: String, at now: Int64 = 5000, boot: String = boot) -> Result<
        SavedNames, SavedNamesRejection
    > {
        let bytes = Array(text.utf8)
        do throws(SavedNamesRejection) {
            return .success(try SavedNames(parsing: bytes.span, boot: boot, at: now))
        } catch {
            return .failure(error)
        }
    }

    private static func text(_ names: SavedNames) -> String { String(decoding: names.text(boot: boot), as: UTF8.self) }

    @Test func `saved names are read as they were written`() {
        #expect(Self.read(Self.text(Self.sample)) == .success(Self.sample))
        #expect(Self.read(Self.text(SavedNames())) == .success(SavedNames()))
    }

    @Test func `saved names of another boot or format version are not used`() {
        let text = Self.text(Self.sample)
        #expect(Self.read(text, boot: "11234567-89ab-cdef-0123-456789abcdef") == .failure(.otherBoot))
        #expect(Self.read(text.replacing("\"version\":1", with: "\"version\":2")) == .failure(.versionUnknown(2)))
    }

    @Test func `an answer one hour old is read, an older one is left out, and one from the future refuses the file`() {
        let names = SavedNames(["a": Self.answer(at: 100)])
        #expect(Self.read(Self.text(names), at: 100 + Self.hour) == .success(names))
        #expect(Self.read(Self.text(names), at: 101 + Self.hour) == .success(SavedNames()))
        #expect(Self.read(Self.text(names), at: 100) == .success(names))
        #expect(Self.read(Self.text(names), at: 99) == .failure(.fromTheFuture))
        #expect(Self.read(Self.text(names), at: .max) == .success(SavedNames()))
    }

    @Test(arguments: [
        "", "{}", "[]", "null", "{", "{\"version\":1}", "{\"version\":1,\"boot\":\"BOOT\"}",
        "{\"version\":1,\"boot\":\"BOOT\",\"names\":{}}",
        "{\"version\":1,\"boot\":7,\"names\":[]}", "{\"version\":\"1\",\"boot\":\"BOOT\",\"names\":[]}",
        "{\"version\":1.0,\"boot\":\"BOOT\",\"names\":[]}",
        "{\"version\":1,\"boot\":\"BOOT\",\"names\":[],\"more\":1}",
        "{\"version\":1,\"version\":1,\"boot\":\"BOOT\",\"names\":[]}",
        "{\"version\":1,\"boot\":\"BOOT\",\"names\":[7]}", "{\"version\":1,\"boot\":\"BOOT\",\"names\":[]} x",
    ]) func `a text that is not saved names is malformed`(_ text: String) {
        #expect(Self.read(text.replacing("BOOT", with: Self.boot)) == .failure(.malformed))
    }

    @Test(arguments: [
        ("name", "\"\""), ("name", "7"), ("name", "\"a b\""), ("name", "\"a\\nb\""),
        ("name", "\"\(String(repeating: "a", count: 254))\""),
        ("name", "\"ä\""), ("name", "\"..//etc\""), ("learnt_at", "-1"), ("learnt_at", "1.5"), ("learnt_at", "\"1\""),
        ("learnt_at", "1e3"),
        ("learnt_at", "99999999999999999999"), ("addresses", "\"\""), ("addresses", "\"10.0.0.1 \""),
        ("addresses", "\"10.0.0.256\""),
        ("addresses", "[]"), ("addresses", "\"10.0.0.1,10.0.0.2\""), ("addresses", "\"shop.internal\""),
        ("addresses", "\"10.0.0.1\",\"x\":1"),
    ]) func `one invalid value makes the whole text malformed`(_ member: String, _ value: String) {
        var members = ["name": "\"a\"", "learnt_at": "5", "addresses": "\"10.0.0.1\""]
        func text() -> String {
            let entry = ["name", "learnt_at", "addresses"].map { "\"\($0)\":\(members[$0] ?? "")" }.joined(
                separator: ",")
            return "{\"version\":1,\"boot\":\"\(Self.boot)\",\"names\":[{\(entry)}]}"
        }
        #expect(Self.read(text()) == .success(SavedNames(["a": Self.answer()])))
        members[member] = value
        #expect(Self.read(text()) == .failure(.malformed))
    }

    @Test func `a duplicate name makes the whole text malformed`() {
        let entry = "{\"name\":\"a\",\"learnt_at\":5,\"addresses\":\"10.0.0.1\"}"
        #expect(
            Self.read("{\"version\":1,\"boot\":\"\(Self.boot)\",\"names\":[\(entry),\(entry)]}") == .failure(.malformed)
        )
    }

    @Test func `64 addresses of a name are read, and 65 are refused`() {
        let many = (0..<65).map { "10.0.0.\($0)" }
        let most = SavedNames(["a": Self.answer(Array(many.prefix(64)))])
        #expect(Self.read(Self.text(most)) == .success(most))
        #expect(Self.read(Self.text(SavedNames(["a": Self.answer(many)]))) == .failure(.tooMany))
    }

    @Test func `the latest names are written, up to the number and size that are read`() {
        var names = SavedNames()
        for number in 0...SavedNames.most { names.answers["n\(number)"] = Self.answer(at: Int64(number)) }
        var expected = names
        expected.answers["n0"] = nil
        #expect(Self.read(Self.text(names)) == .success(expected))
        // Names and addresses of the maximum length.
        let addresses = (0..<64).map { "2001:db8:1111:2222:3333:4444:5555:\(String(0x1000 + $0, radix: 16))" }
        for number in 0..<SavedNames.most {
            names.answers[String(repeating: "a", count: 249) + String(1000 + number)] = Self.answer(addresses, at: 4000)
        }
        let text = names.text(boot: Self.boot)
        #expect(text.count <= SavedNames.byteLimit && text.count > SavedNames.byteLimit - 4000)
        guard case .success(let read) = Self.read(String(decoding: text, as: UTF8.self)) else {
            return #expect(Bool(false))
        }
        #expect(read.answers.allSatisfy { names.answers[$0.key] == $0.value } && read.answers.count > 90)
        // One byte more than is read.
        let padding = String(repeating: " ", count: SavedNames.byteLimit - text.count)
        #expect(Self.read(padding + String(decoding: text, as: UTF8.self)) == .success(read))
        #expect(Self.read(padding + " " + String(decoding: text, as: UTF8.self)) == .failure(.malformed))
    }

    @Test func `a name that would be malformed when read is not written`() {
        #expect(
            Self.read(Self.text(SavedNames(["a b": Self.answer(), "b": Self.answer()])))
                == .success(SavedNames(["b": Self.answer()])))
    }

    @Test func `truncated or changed saved names are refused or still within the limits`() {
        let text = Self.sample.text(boot: Self.boot)
        for count in 0..<text.count {
            #expect(Self.read(String(decoding: text.prefix(count), as: UTF8.self)) == .failure(.malformed))
        }
        var generator = SeededGenerator(seed: 10)
        for _ in 0..<20_000 {
            var bytes = text
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            guard let read = try? SavedNames(parsing: bytes.span, boot: Self.boot, at: 5000) else { continue }
            #expect(
                read.answers.count <= 3
                    && read.answers.values.allSatisfy { !$0.addresses.isEmpty && $0.learntAt <= 5000 })
        }
    }

    // MARK: When it is written

    @Test func `a changed, added, removed or a minute newer answer is saved again, and a new order is not`() {
        let saved = SavedNames(["a": Self.answer(["10.0.0.1", "10.0.0.2"], at: 1000)])
        func isNews(_ names: [String: SavedNames.Answer]) -> Bool { SavedNames(names).isNews(after: saved) }
        #expect(!isNews(saved.answers))
        #expect(!isNews(["a": Self.answer(["10.0.0.2", "10.0.0.1"], at: 60_999)]))
        #expect(isNews(["a": Self.answer(["10.0.0.2", "10.0.0.1"], at: 61_000)]))
        #expect(isNews(["a": Self.answer(["10.0.0.1"], at: 1000)]))
        #expect(isNews(["b": Self.answer(["10.0.0.1", "10.0.0.2"], at: 1000)]))
        #expect(isNews([:]))
        #expect(isNews(["a": Self.answer(["10.0.0.1", "10.0.0.2"], at: 1000), "b": Self.answer()]))
    }
}

/// Maximum age of an answer from the previous process.
struct SavedAnswerTests {
    private static let minute: Int64 = 60_000_000_000

    @Test(
        arguments: [
            // Over TLS or on this machine: one hour.
            ("10.0.0.1", false, 0, true), ("10.0.0.1", false, 60, true), ("10.0.0.1", false, 61, false),
            ("127.0.0.1", true, 60, true),
            ("127.8.9.1", true, 60, true), ("::1", true, 60, true), ("::1", true, 61, false),
            ("127.0.0.1", false, 61, false),
            // Without TLS to any other machine: five minutes.
            ("10.0.0.1", true, 0, true), ("10.0.0.1", true, 5, true), ("10.0.0.1", true, 6, false),
            ("8.8.8.8", true, 6, false),
            ("2001:db8::1", true, 5, true), ("2001:db8::1", true, 6, false), ("169.254.1.1", true, 6, false),
            ("::ffff:127.0.0.1", true, 60, true),
            // From the future.
            ("10.0.0.1", false, -1, false), ("127.0.0.1", true, -1, false),
        ] as [(String, Bool, Int64, Bool)]) func `a saved address is used up to its maximum age`(
            text: String, isPlain: Bool, minutes: Int64, isUsed: Bool
        ) throws
    {
        let answer = SavedAnswer(addresses: [try #require(IPAddress(text))], learntAt: 1000)
        #expect(answer.usable(hasPlainTargets: isPlain, at: 1000 + minutes * Self.minute).isEmpty == !isUsed)
        // Not one unit of time longer.
        let limit: Int64 = isUsed && minutes >= 5 ? minutes : -1
        if limit >= 0 { #expect(answer.usable(hasPlainTargets: isPlain, at: 1001 + limit * Self.minute).isEmpty) }
    }
}
