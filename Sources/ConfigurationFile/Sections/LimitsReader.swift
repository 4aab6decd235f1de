import HTTPMessages
import ProxySettings

/// Reads `limits` and `timeouts`.
struct LimitsReader {
    /// What HTTP/2 allows in one field, in bytes: the bound of the library that speaks it.
    private static let longestHTTP2Field = 64 * 1024

    /// - Parameter overHTTP2: whether some listener speaks HTTP/2.
    static func limits(_ value: Value?, overHTTP2: Bool) -> ProxyLimits {
        var limits = ProxyLimits()
        guard let value, let section = Section(value, of: LimitKey.self) else { return limits }
        section.byteCount(.authorization).assign(to: &limits.head.authorization)
        section.byteCount(.field).assign(to: &limits.head.field)
        section.byteCount(.head).assign(to: &limits.head.head)
        section.integer(.fields).assign(to: &limits.head.fields)
        section.byteCount(.target).assign(to: &limits.head.target)
        section.byteCount(.identity).assign(to: &limits.identity)
        section.orOff(.body, section.byteCount).assign(to: &limits.body)
        section[.body].map(warnOfNoBody)
        section.integer(.connections).assign(to: &limits.connections)
        section.orOff(.connectionsPerAddress, section.integer).assign(to: &limits.connectionsPerAddress)
        section.orOff(.requestsPerConnection, section.integer).assign(to: &limits.requestsPerConnection)
        section.integer(.streams).assign(to: &limits.streams)
        section.integer(.inFlight).assign(to: &limits.inFlight)
        section.orOff(.inFlightPerAddress, section.integer).map { $0.map { .atMost($0) } ?? .unbounded }
            .assign(to: &limits.inFlightPerAddress)
        section.integer(.waitingForKeys).assign(to: &limits.waitingForKeys)
        section.orOff(.failedVerificationsPerAddress, section.integer).assign(to: &limits.failedVerificationsPerAddress)
        section.integer(.quotaKeys).assign(to: &limits.quotaKeys)
        section.orOff(.bodyRate, section.integer).map { $0 ?? 0 }.assign(to: &limits.bodyRate)
        section.orOff(.replay, section.byteCount).map { $0 ?? 0 }.assign(to: &limits.replay)
        section.orOff(.replayTotal, section.byteCount).map { $0 ?? 0 }.assign(to: &limits.replayTotal)
        warnOfUnreachable(section, limits)
        if overHTTP2 { warnOfHTTP2(section, limits) }
        return limits
    }

    /// Elsewhere a plain 0 is no limit.
    private static func warnOfNoBody(_ value: Value) {
        guard case .scalar(let scalar) = value.node.content, scalar.text == "0" else { return }
        value.warn("no request may have a body then", hint: "write `off` for no limit, or `0B` if that is meant")
    }

    /// A limit by address that the file states, which holds at a door only where the proxy states addresses.
    static func warnOfAddresses(_ value: Value?, _ limits: ProxyLimits) {
        guard let value, limits.failedVerificationsPerAddress != nil, let section = Section(value, of: LimitKey.self)
        else { return }
        section[.failedVerificationsPerAddress]?.warn(
            "at a door a client has an address only if the proxy states `X-Forwarded-For`",
            hint: DoorsReader.addressHint)
    }

    static func timeouts(_ value: Value?) -> ProxyTimeouts {
        var timeouts = ProxyTimeouts()
        guard let value, let section = Section(value, of: TimeoutKey.self) else { return timeouts }
        section.duration(.handshake).assign(to: &timeouts.handshake)
        section.duration(.head).assign(to: &timeouts.head)
        section.duration(.bodyIdle).assign(to: &timeouts.bodyIdle)
        section.duration(.streamIdle).assign(to: &timeouts.streamIdle)
        section.duration(.idle).assign(to: &timeouts.idle)
        section.duration(.connect).assign(to: &timeouts.connect)
        section.duration(.firstByte).assign(to: &timeouts.firstByte)
        section.duration(.drain).assign(to: &timeouts.drain)
        section.duration(.drainDelay).assign(to: &timeouts.drainDelay)
        section.duration(.start).assign(to: &timeouts.start)
        return timeouts
    }

    /// The parts of a head, each with a limit of its own.
    private static func parts(_ limits: ProxyLimits) -> [(key: LimitKey, limit: Int)] {
        [(.authorization, limits.head.authorization), (.field, limits.head.field), (.target, limits.head.target)]
    }

    /// A part of the head is bounded by the whole as well.
    private static func warnOfUnreachable(_ section: Section<LimitKey>, _ limits: ProxyLimits) {
        for (key, limit) in parts(limits) where limit > limits.head.head {
            (section[key] ?? section[.head])?.warn(
                "`\(key.rawValue)` is larger than `head`, which bounds the whole head")
        }
        if limits.replayTotal > 0, limits.replay > limits.replayTotal {
            (section[.replayTotal] ?? section[.replay])?.warn(
                "`replay` is larger than `replay_total`, which bounds all bodies together")
        }
        if case .atMost(let limit) = limits.inFlightPerAddress, limit >= limits.inFlight {
            section[.inFlightPerAddress]?.warn(
                "`in_flight_per_address` is not below `in_flight`, so that one client may take all of it")
        }
    }

    private static func warnOfHTTP2(_ section: Section<LimitKey>, _ limits: ProxyLimits) {
        for (key, limit) in parts(limits) where limit > longestHTTP2Field && limit <= limits.head.head {
            section[key]?.warn(
                "`\(key.rawValue)` is larger than 64KiB, the most that HTTP/2 carries in one field: a longer one ends its connection"
            )
        }
    }
}
