import ConfigurationFile
import PolicyTrials
import TestSupport
import Testing

/// Files of a thousand rules are compared by examining little more than their differences.
struct ComparisonCostTests {
    private static let kinds = [
        "read", "read write", "{any_of: [read, {roles: [admin]}]}", "{claims: {team: [a, b]}}", "{public: true}",
        "{optional: read}", "{all_of: [read], not: {claims: {type: [guest]}}, claims: {type: [staff, guest]}}",
        "{claims: {repo: {glob: \"acme/*\"}}, max_age: 10m}",
    ]

    /// - Parameter shift: number of rules by which the requirements are shifted.
    private static func file(shift: Int) -> String {
        let rules = (0..<1000).map { number in
            let section = "/s\(number / 40)"
            let path = [section + "/{id}/r\(number)", section + "/r\(number)/**", "/r\(number)"][number % 3]
            let changed = number % 10 == 0 ? shift : 0
            return "\"\(number % 2 == 0 ? "GET" : "POST,PUT") \(path)\": \(kinds[(number + changed) % kinds.count])"
        }
        return PolicyComparisonTests.file(rules.joined(separator: ", "))
    }

    @Test(.slow) func `comparing a thousand rules with a thousand takes a bounded number of judgements`() throws {
        let (old, new, other) = (
            try PolicyComparisonTests.configuration(Self.file(shift: 0)),
            try PolicyComparisonTests.configuration(Self.file(shift: 1)),
            try PolicyComparisonTests.configuration(
                Self.file(shift: 1).replacing("127.0.0.1:9000", with: "127.0.0.1:9001"))
        )
        #expect(try PolicyComparison(old, old).judgements == 0, "nothing is otherwise")
        let comparison = try PolicyComparison(old, new)
        #expect(comparison.undecided.isEmpty && comparison.contradictions.isEmpty)
        #expect(comparison.differences.count >= 100)
        #expect(comparison.judgements <= 1000, "\(comparison.judgements)")
        let all = try PolicyComparison(old, other)
        #expect(all.differences.count >= 1000)
        #expect(all.judgements <= 10_000, "\(all.judgements)")
    }
}
