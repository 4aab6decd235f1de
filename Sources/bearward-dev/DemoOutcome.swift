/// Result of comparing one answer of a demo with the expected one.
struct DemoOutcome: Sendable {
    let status: UInt
    /// Short description of the request.
    let title: String
    /// Short descriptions of the differences. Empty if the answer is as expected.
    let differences: [String]

    /// Line for the list of outcomes, followed by one line for each difference.
    var line: String {
        let mark = differences.isEmpty ? "✓" : "✗"
        return (["\(mark) \(status) \(title)"] + differences.map { difference in "      \(difference)" })
            .joined(separator: "\n")
    }
}
