import TestSupport
import Testing
import TokenVerification

@testable import PolicyTrials

struct TextSearchTests {
    private static func search(_ required: [String], without forbidden: [String] = [], literals: [String] = []) throws
        -> TextSearch.Outcome
    {
        TextSearch(
            required: try required.map { .pattern(try ClaimPattern($0)) },
            forbidden: try forbidden.map { .pattern(try ClaimPattern($0)) } + literals.map { .literal($0) }
        ).shortest()
    }

    @Test func `the shortest text is found that matches some patterns and not others`() throws {
        #expect(try Self.search(["acme/*"]) == .found("acme/x"))
        #expect(try Self.search(["*/a", "b/*"]) == .found("b/a"))
        #expect(try Self.search(["a/**"], without: ["a/*"]) == .found("a//"))
        #expect(try Self.search(["a/*"], without: ["a/**"]) == .none)
        #expect(try Self.search(["a*"], literals: ["ax", "ay"]) == .found("az"))
        #expect(try Self.search(["é*"]) == .found("éx"))
        #expect(try Self.search(["a\\*"], without: ["a*"]) == .none)
        #expect(try Self.search(["*a", "*b"]) == .none)
    }

    @Test func `a pattern below a path matches only whole segments`() throws {
        let below = TextSearch.Rule.below("spiffe://a")
        #expect(TextSearch(required: [below], forbidden: []).shortest() == .found("spiffe://a/x"))
        let pattern = TextSearch.Rule.pattern(try ClaimPattern("spiffe://a/**/sa"))
        #expect(TextSearch(required: [below, pattern], forbidden: []).shortest() == .found("spiffe://a/x/sa"))
        #expect(
            TextSearch(required: [below, .pattern(try ClaimPattern("spiffe://b/*"))], forbidden: []).shortest() == .none
        )
    }

    @Test func `a found text matches, and if none is found no random text matches either`() throws {
        var generator = SeededGenerator(seed: 7)
        let pieces = ["a", "b", "/", ":", "*", "**", "ab"]
        func pattern() -> ClaimPattern {
            while true {
                let text = (0..<generator.pick([2, 3, 4])).map { _ in generator.pick(pieces) }.joined()
                if let pattern = try? ClaimPattern(text) { return pattern }
            }
        }
        var none = 0
        for _ in 0..<300 {
            let (one, two, other) = (pattern(), pattern(), pattern())
            func isGood(_ text: String) -> Bool {
                let bytes = Array(text.utf8)
                return one.matches(bytes.span) && two.matches(bytes.span) && !other.matches(bytes.span)
            }
            switch TextSearch(required: [.pattern(one), .pattern(two)], forbidden: [.pattern(other)]).shortest() {
            case .found(let text): #expect(isGood(text), "\(one) \(two) \(other): \(text)")
            case .none:
                none += 1
                for _ in 0..<200 {
                    let text = (0..<generator.pick([1, 2, 3, 4, 5, 6])).map { _ in
                        generator.pick(["a", "b", "/", ":", "c"])
                    }.joined()
                    #expect(!isGood(text), "\(one) \(two) \(other): \(text)")
                }
            case .undecided: Issue.record("\(one) \(two) \(other) is not decided")
            }
        }
        #expect(none > 100)
    }
}
