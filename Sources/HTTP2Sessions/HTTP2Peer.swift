/// The kind of peer, which decides what its frames may cost (``FrameBudget``).
public enum HTTP2Peer: Hashable, Sendable {
    /// An untrusted client.
    case client
    /// Many users share its connection, and any of them may give up.
    case trustedProxy
    /// Many clients share it, so what one of them brings about must not end it: its bounds are for an upstream that
    /// misbehaves.
    case upstream
}
