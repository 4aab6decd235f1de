/// Reason why a deny file cannot be used.
public enum DenyFileFailure: Error, Sendable, Hashable {
    case unreadable(String)
    /// Lines are invalid: the first problems, and the number of all.
    case problems([DenyLinesReader.LineProblem], count: Int)
}
