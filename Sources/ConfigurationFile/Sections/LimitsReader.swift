import HTTPMessages
import ProxySettings

/// Reads `limits` and `timeouts`.
struct LimitsReader {
    private static let limitKeys = [
        "authorization", "field", "head", "fields", "target", "body", "connections", "connections_per_address", "requests_per_connection",
        "streams", "in_flight", "waiting_for_keys", "failed_verifications_per_address", "body_rate", "replay",
    ]
    private static let timeoutKeys = [
        "handshake", "head", "body_idle", "stream_idle", "idle", "connect", "first_byte", "drain", "drain_delay",
    ]

    /// What one part of a head may have, in bytes.
    private static let parts = 64...1024 * 1024
    private static let counts = 1...10_000_000
    private static let waits: ClosedRange<Duration> = .milliseconds(1) ... .seconds(86_400)
    private static let pauses: ClosedRange<Duration> = .zero ... .seconds(86_400)

    /// What HTTP/2 allows in one field, in bytes: the bound of the library that speaks it.
    private static let longestHTTP2Field = 64 * 1024

    /// - Parameter overHTTP2: whether some listener speaks HTTP/2.
    static func limits(_ value: Value?, overHTTP2: Bool) -> ProxyLimits {
        var limits = ProxyLimits()
        guard let value, let section = Section(value, keys: limitKeys) else { return limits }
        set(&limits.head.authorization, section["authorization"]?.byteCount(in: parts))
        set(&limits.head.field, section["field"]?.byteCount(in: parts))
        set(&limits.head.head, section["head"]?.byteCount(in: parts))
        set(&limits.head.fields, section["fields"]?.integer(in: 1...10_000))
        set(&limits.head.target, section["target"]?.byteCount(in: parts))
        limits.body = bound(section["body"]) { $0.byteCount(in: 0...(1 << 50)) }
        set(&limits.connections, section["connections"]?.integer(in: counts))
        limits.connectionsPerAddress = bound(section["connections_per_address"]) { $0.integer(in: counts) }
        limits.requestsPerConnection = bound(section["requests_per_connection"]) { $0.integer(in: counts) }
        set(&limits.streams, section["streams"]?.integer(in: 1...100_000))
        set(&limits.inFlight, section["in_flight"]?.integer(in: counts))
        set(&limits.waitingForKeys, section["waiting_for_keys"]?.integer(in: counts))
        if let failures = section["failed_verifications_per_address"] {
            limits.failedVerificationsPerAddress = bound(failures) { $0.integer(in: counts) }
        }
        if let rate = section["body_rate"] { set(&limits.bodyRate, rate.isOff ? 0 : rate.integer(in: 1...(1 << 30))) }
        if let replay = section["replay"] { set(&limits.replay, replay.isOff ? 0 : replay.byteCount(in: 0...(1 << 20))) }
        warnOfUnreachable(section, limits)
        if overHTTP2 { warnOfHTTP2(section, limits) }
        return limits
    }

    static func timeouts(_ value: Value?) -> ProxyTimeouts {
        var timeouts = ProxyTimeouts()
        guard let value, let section = Section(value, keys: timeoutKeys) else { return timeouts }
        set(&timeouts.handshake, section["handshake"]?.duration(in: waits))
        set(&timeouts.head, section["head"]?.duration(in: waits))
        set(&timeouts.bodyIdle, section["body_idle"]?.duration(in: waits))
        set(&timeouts.streamIdle, section["stream_idle"]?.duration(in: waits))
        set(&timeouts.idle, section["idle"]?.duration(in: waits))
        set(&timeouts.connect, section["connect"]?.duration(in: waits))
        set(&timeouts.firstByte, section["first_byte"]?.duration(in: waits))
        set(&timeouts.drain, section["drain"]?.duration(in: pauses))
        set(&timeouts.drainDelay, section["drain_delay"]?.duration(in: pauses))
        return timeouts
    }

    /// A part of the head is bounded by the whole as well.
    private static func warnOfUnreachable(_ section: Section, _ limits: ProxyLimits) {
        let parts = [("authorization", limits.head.authorization), ("field", limits.head.field), ("target", limits.head.target)]
        for (key, limit) in parts where limit > limits.head.head {
            (section[key] ?? section["head"])?.warn("`\(key)` is larger than `head`, which bounds the whole head")
        }
    }

    private static func warnOfHTTP2(_ section: Section, _ limits: ProxyLimits) {
        let parts = [("authorization", limits.head.authorization), ("field", limits.head.field), ("target", limits.head.target)]
        for (key, limit) in parts where limit > longestHTTP2Field && limit <= limits.head.head {
            section[key]?.warn(
                "`\(key)` is larger than 64KiB, the most that HTTP/2 carries in one field: a longer one ends its connection")
        }
    }

    private static func set<Limit>(_ limit: inout Limit, _ value: Limit?) {
        if let value { limit = value }
    }

    /// `off` is no bound.
    private static func bound(_ value: Value?, read: (Value) -> Int?) -> Int? {
        guard let value, !value.isOff else { return nil }
        return read(value)
    }
}
