import PolicyOracle
import Testing

/// Rows of the tables in `docs/policy.md`, copied by hand: the judge written from the page and the gateway both give
/// the documented answers.
struct DocumentedCaseTests {
    private static let rows =
        DocumentedCase.places + DocumentedCase.rules + DocumentedCase.parts + DocumentedCase.encodedSlashes
        + DocumentedCase.requirements + DocumentedCase.combinations + DocumentedCase.credentials
        + DocumentedCase.fields + DocumentedCase.severalFields + DocumentedCase.passed + DocumentedCase.resources
    private static let tables = Set(rows.map(\.table)).sorted()

    @Test(arguments: tables)
    func `every row of the documented tables gets its documented answer`(_ table: String) throws {
        for row in Self.rows where row.table == table {
            let walk = try RealWalk(row.policy.yaml, at: PolicyGenerator.now)
            #expect(walk.answer(to: row.request) == row.answer, "\(row)")
            #expect(PolicyJudge(row.policy, at: PolicyGenerator.now).answers(to: row.request) == [row.answer], "\(row)")
        }
    }
}
