/// What a head parser says about the bytes so far.
public enum ParsingProgress: Hashable, Sendable {
    /// The head goes on; call again with these bytes and more after them.
    case needsMore
    /// The head is whole and judged.
    case complete
}
