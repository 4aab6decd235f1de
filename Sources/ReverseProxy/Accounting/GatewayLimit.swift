import MetricFamilies

/// The limits that are counted separately; those of a request's form have reasons of their own.
enum GatewayLimit: String, CaseIterable {
    case connections
    case connectionsPerAddress = "connections_per_address"
    case requestsPerConnection = "requests_per_connection"
    case inFlight = "in_flight"
    case inFlightPerAddress = "in_flight_per_address"
    case waitingForKeys = "waiting_for_keys"
    case failedVerificationsPerAddress = "failed_verifications_per_address"
    /// Not of the file: key IDs that nobody could be asked about.
    case unaskedKeyIDsPerAddress = "unasked_kids_per_address"
    case bodyRate = "body_rate"
    /// Bodies that were not held, because all bodies together were as much as may be held.
    case replayTotal = "replay_total"
    case quotaKeys = "quota_keys"
    /// Of a fleet: no place at a target, and too many wait, or one waited for too long.
    case upstreamConnections = "upstream_connections"
    /// HTTP/2: malformed requests.
    case malformedStreams = "malformed_streams"
    /// HTTP/2: connections that broke its rules or flooded us.
    case brokenConnections = "broken_connections"
    /// The system's, not the file's.
    case memory
}

extension CaseCounter<GatewayLimit> {
    var family: MetricFamily {
        .counter("bearward_limit_hits_total", "Times that a limit was hit, by limit.", samples("limit"))
    }
}
