import ProviderFixtures

/// How the answer to one trial compares with what was expected.
struct ProviderDemoOutcome: Sendable {
    private let trial: SampleTrial
    private let status: UInt
    /// Each in a few words; none if the answer is right.
    let differences: [String]

    init(_ trial: SampleTrial, _ answer: PlainAnswer) {
        self.trial = trial
        status = answer.status
        differences = trial.differences(
            status: Int(clamping: answer.status), challenge: answer.field("WWW-Authenticate"))
    }

    /// One line of the table, and one more for each difference.
    var line: String {
        let mark = differences.isEmpty ? "✓" : "✗"
        return (["\(mark) \(status) \(trial.summary)"] + differences.map { difference in "      \(difference)" })
            .joined(separator: "\n")
    }
}
