import ProxySettings

/// Fixed time limits, in ticks of the event loops.
extension FixedLimits {
    /// Time that a closing connection waits for the peer to read the answer.
    static let linger = TickCount(.seconds(1))
    /// Time for which the upload of an answered HTTP/2 request is discarded before its stream is reset.
    static let uploadFarewell = TickCount(.seconds(2))
    /// Least time between two log lines about malformed requests on one HTTP/2 connection.
    static let malformedLog = TickCount(.seconds(1))
    /// Time after which an idle upstream connection is closed; shorter than the idle time-out of common servers.
    static let upstreamIdle = TickCount(.seconds(30))
    /// Time without a request after which a connection frees its parsing storage.
    static let storageKept = TickCount(.seconds(2))
}
