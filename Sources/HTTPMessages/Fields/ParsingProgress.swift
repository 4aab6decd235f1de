/// The progress of a head parser after the bytes so far.
public enum ParsingProgress: Hashable, Sendable {
    /// The head is incomplete; call again with these bytes and more after them.
    case needsMore
    /// The head is complete and judged.
    case complete
}
