/// Result of comparing one answer of a demo with the expected one.
struct DemoOutcome: Sendable {
    let status: UInt
    /// The request, in a few words.
    let title: String
    /// Each in a few words; none if the answer is right.
    let differences: [String]

    /// One line of the table, and one more for each difference.
    var line: String {
        let mark = differences.isEmpty ? "✓" : "✗"
        return (["\(mark) \(status) \(title)"] + differences.map { difference in "      \(difference)" })
            .joined(separator: "\n")
    }
}
