/// Reason why a deny list in a file cannot be used.
public enum DenyFileFailure: Error, Sendable, Hashable {
    case unreadable(String)
    /// Lines that are wrong: some of the first, and how many there are.
    case problems([DenyLinesReader.LineProblem], count: Int)
}
