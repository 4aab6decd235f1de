import KnownTokens
import StrictJSON
import TestSupport
import Testing
import TokenVerification

/// The index gives the same answers as separate lookups.
@Suite struct ClaimIndexTests {
    private struct Question {
        let path: ClaimPath
        let values: [ClaimScalar]

        func isAnsweredYes(by claims: JSONValue) -> Bool {
            guard let claim = path.value(in: claims) else { return false }
            return values.contains { $0.isHeld(by: claim) }
        }
    }

    private static let names = ["a", "b", "a.b", "e\u{301}", "\u{e9}", "0", "1", "10", "01", "", "x~y/z"]
    private static let texts = ["", "v", "V", "1", "true", "e\u{301}", "\u{e9}", "v w"]
    private static let numbers = [
        "0", "-0", "-0.0", "1", "1.0", "1.5", "9223372036854775807", "9223372036854775808", "9223372036854775808.0",
        "1e300", "-1",
    ]

    private static func quoted(_ text: String) -> String { "\"\(text)\"" }

    /// A JSON value of few names and values, so that lookups match.
    private static func json(_ depth: Int, _ generator: inout SeededGenerator) -> String {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &generator) {
        case 0: return generator.pick(["true", "false", "null"])
        case 1, 2: return generator.pick(numbers)
        case 3, 4: return quoted(generator.pick(texts))
        case 5:
            let count = Int.random(in: 0...12, using: &generator)
            return "[" + (0..<count).map { _ in json(depth - 1, &generator) }.joined(separator: ",") + "]"
        default: return object(depth, &generator)
        }
    }

    private static func object(_ depth: Int, _ generator: inout SeededGenerator) -> String {
        let chosen = names.filter { _ in Bool.random(using: &generator) }
        return "{" + chosen.map { quoted($0) + ":" + json(depth - 1, &generator) }.joined(separator: ",") + "}"
    }

    private static func scalar(_ generator: inout SeededGenerator) -> ClaimScalar {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: .boolean(Bool.random(using: &generator))
        case 1: .integer(generator.pick([0, 1, -1, .max, .min]))
        case 2: .real(generator.pick([0, -0.0, 1, 1.5, 9_223_372_036_854_775_808, 1e300, -1]))
        default: .string(generator.pick(texts))
        }
    }

    private static func question(_ generator: inout SeededGenerator) throws -> Question {
        let depth = Int.random(in: 1...3, using: &generator)
        let pointer = (0..<depth).map { _ in
            "/"
                + generator.pick(names).split(separator: "~", omittingEmptySubsequences: false).joined(separator: "~0")
                .split(separator: "/", omittingEmptySubsequences: false).joined(separator: "~1")
        }
        let values = (0..<Int.random(in: 1...3, using: &generator)).map { _ in scalar(&generator) }
        return Question(path: try ClaimPath(pointer.joined()), values: values)
    }

    @Test(arguments: Effort.some(1...6 as ClosedRange<UInt64>, quick: 2), [3, 400])
    func `a claim index gives the same answers as separate lookups`(seed: UInt64, count: Int) throws {
        var generator = SeededGenerator(seed: seed)
        var yes = 0
        for _ in 0..<60 {
            let questions = try (0..<count).map { _ in try Self.question(&generator) }
            var index = ClaimIndex<Int>()
            for (number, question) in questions.enumerated() {
                index.insert(number, at: question.path, oneOf: question.values)
            }
            for _ in 0..<20 {
                let claims = try JSONDocument(parsing: Array(Self.object(3, &generator).utf8).span, limits: .claimsSet)
                    .root
                var answered: Set<Int> = []
                index.forEachAnswer(in: claims) { answered.insert($0) }
                let expected = Set(questions.indices.filter { questions[$0].isAnsweredYes(by: claims) })
                #expect(answered == expected)
                yes += expected.count
            }
        }
        #expect(yes > 50)
    }

    @Test func `an empty claim index gives no answers`() throws {
        let claims = try JSONDocument(parsing: Array(#"{"a":[1,{"b":2}]}"#.utf8).span, limits: .claimsSet).root
        ClaimIndex<Int>().forEachAnswer(in: claims) { Issue.record("answered \($0)") }
    }
}
