import ProxySettings

/// The limits that the event loops count in ticks.
extension FixedLimits {
    /// How long a closing connection waits for the peer to see the answer.
    static let linger = TickCount(.seconds(1))
    /// For how long an upload over HTTP/2 is discarded behind its answer before it is called off.
    static let uploadFarewell = TickCount(.seconds(2))
    /// How long after a malformed request of a connection of HTTP/2 the next is logged.
    static let malformedLog = TickCount(.seconds(1))
    /// How long an upstream connection may be idle; shorter than common servers keep theirs.
    static let upstreamIdle = TickCount(.seconds(30))
    /// After so long without a request a connection gives its parsing storage back.
    static let storageKept = TickCount(.seconds(2))
}
