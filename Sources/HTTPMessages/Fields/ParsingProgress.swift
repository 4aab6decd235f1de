/// Progress of a head parser after the bytes received so far.
public enum ParsingProgress: Hashable, Sendable {
    /// The head is incomplete. Call again with these bytes and more after them.
    case needsMore
    /// The head is complete and valid.
    case complete
}
