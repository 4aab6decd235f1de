/// The kind of peer, which decides what its frames may cost (``FrameBudget``).
public enum HTTP2Peer: Hashable, Sendable {
    /// An untrusted client.
    case client
    /// A proxy whose connection many users share; any of them may cancel requests.
    case trustedProxy
    /// An upstream, whose connection many clients share. One client must not be able to close it, so its bounds only
    /// catch an upstream that misbehaves.
    case upstream
}
