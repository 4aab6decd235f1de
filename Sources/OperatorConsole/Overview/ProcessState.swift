import StrictJSON

/// State of the process that serves.
public struct ProcessState: Sendable, Hashable {
    public let version: String
    /// Name of the host.
    public let node: String
    /// Time since the start of the process. A new process begins with each upgrade.
    public let uptime: Duration
    /// Phase as in `/readyz`.
    public let phase: String
    /// Reason why `/readyz` does not answer 200. Nil if it does.
    public let obstacle: String?
    /// Number of requests that are being forwarded.
    public let requestsInFlight: Int
    /// Number of open connections of clients.
    public let connections: Int
    /// Lookups of tokens that the token cache had.
    public let cacheHits: UInt64
    /// Lookups of tokens that the token cache did not have.
    public let cacheMisses: UInt64

    public init(
        version: String, node: String, uptime: Duration, phase: String, obstacle: String?, requestsInFlight: Int,
        connections: Int, cacheHits: UInt64, cacheMisses: UInt64
    ) {
        (self.version, self.node, self.uptime) = (version, node, uptime)
        (self.phase, self.obstacle) = (phase, obstacle)
        (self.requestsInFlight, self.connections) = (requestsInFlight, connections)
        (self.cacheHits, self.cacheMisses) = (cacheHits, cacheMisses)
    }
}

extension ProcessState {
    /// Writes the state as members.
    func write(with json: inout JSONObjectWriter, into bytes: inout [UInt8]) {
        json.member("version", string: version, into: &bytes)
        json.member("node", string: node, into: &bytes)
        json.member("uptime_seconds", integer: uptime.components.seconds, into: &bytes)
        json.member("ready", boolean: obstacle == nil, into: &bytes)
        json.member("phase", string: phase, into: &bytes)
        json.member("obstacle", optional: obstacle, into: &bytes)
        json.member("requests_in_flight", integer: requestsInFlight, into: &bytes)
        json.member("connections", integer: connections, into: &bytes)
        json.member("token_cache_hits", integer: Int64(clamping: cacheHits), into: &bytes)
        json.member("token_cache_misses", integer: Int64(clamping: cacheMisses), into: &bytes)
    }
}
