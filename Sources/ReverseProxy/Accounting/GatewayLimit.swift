import MetricFamilies

/// Limits counted in `bearward_limit_hits_total`. Limits on a request's form have their own reasons instead.
enum GatewayLimit: String, CaseIterable {
    case connections
    case connectionsPerAddress = "connections_per_address"
    case requestsPerConnection = "requests_per_connection"
    case inFlight = "in_flight"
    case inFlightPerAddress = "in_flight_per_address"
    case waitingForKeys = "waiting_for_keys"
    case failedVerificationsPerAddress = "failed_verifications_per_address"
    /// Not configurable: key IDs that are in no key set while the issuer cannot be asked for new keys
    /// (``UnaskedKeyIDs``).
    case unaskedKeyIDsPerAddress = "unasked_kids_per_address"
    case bodyRate = "body_rate"
    /// Bodies not held for replay, because all held bodies together had reached the limit.
    case replayTotal = "replay_total"
    case quotaKeys = "quota_keys"
    /// Requests refused because no slot was free at a target: too many already waited, or one waited too long.
    case upstreamConnections = "upstream_connections"
    /// Malformed HTTP/2 requests.
    case malformedStreams = "malformed_streams"
    /// HTTP/2 connections that broke the protocol or flooded the gateway.
    case brokenConnections = "broken_connections"
    /// Not configurable: the memory limit that the system sets.
    case memory
}

extension CaseCounter<GatewayLimit> {
    var family: MetricFamily {
        .counter("bearward_limit_hits_total", "Times that a limit was hit, by limit.", samples("limit"))
    }
}
