import HTTPMessages
import ProxySettings

/// Reads `limits`.
enum LimitsReader {
    /// Longest field that HTTP/2 can carry here, in bytes: the bound of the HTTP/2 library.
    private static let longestHTTP2Field = 64 * 1024

    /// - Parameter overHTTP2: true if any listener speaks HTTP/2.
    static func limits(_ value: Value?, overHTTP2: Bool) -> ProxyLimits {
        var limits = ProxyLimits()
        guard let value, let section = Section(value, of: LimitKeys.self) else { return limits }
        section.assign(to: &limits)
        section[\.body].map(warnOfNoBody)
        warnOfUnreachable(section, limits)
        if overHTTP2 { warnOfHTTP2(section, limits) }
        return limits
    }

    /// Warns of a plain 0, which means "no limit" in other programs.
    private static func warnOfNoBody(_ value: Value) {
        guard case .scalar(let scalar) = value.node.content, scalar.text == "0" else { return }
        value.warn("no request may have a body then", hint: "write `off` for no limit, or `0B` if that is meant")
    }

    /// Warns of limits by client address. At a door they apply only if the proxy states addresses.
    static func warnOfAddresses(_ value: Value?, _ limits: ProxyLimits) {
        guard let value, limits.failedVerificationsPerAddress != nil, let section = Section(value, of: LimitKeys.self)
        else { return }
        section[\.failedVerificationsPerAddress]?.warn(
            "at a door a client has an address only if the proxy states `X-Forwarded-For`",
            hint: DoorsReader.addressHint)
    }

    /// Parts of a request head that have limits of their own.
    private static func parts(_ limits: ProxyLimits) -> [(
        key: KeyPath<LimitKeys, Setting<ProxyLimits, Int>>, limit: Int
    )] {
        [(\.authorization, limits.head.authorization), (\.field, limits.head.field), (\.target, limits.head.target)]
    }

    /// Warns of limits that another limit makes useless, such as a part of the head that may be larger than the whole
    /// head.
    private static func warnOfUnreachable(_ section: Section<LimitKeys>, _ limits: ProxyLimits) {
        for (key, limit) in parts(limits) where limit > limits.head.head {
            (section[key] ?? section[\.head])?.warn(
                "`\(section.name(of: key))` is larger than `head`, which bounds the whole head")
        }
        if limits.replayTotal > 0, limits.replay > limits.replayTotal {
            (section[\.replayTotal] ?? section[\.replay])?.warn(
                "`replay` is larger than `replay_total`, which bounds all bodies together")
        }
        if case .atMost(let limit) = limits.inFlightPerAddress, limit >= limits.inFlight {
            section[\.inFlightPerAddress]?.warn(
                "`in_flight_per_address` is not below `in_flight`, so that one client may take all of it")
        }
    }

    private static func warnOfHTTP2(_ section: Section<LimitKeys>, _ limits: ProxyLimits) {
        for (key, limit) in parts(limits) where limit > longestHTTP2Field && limit <= limits.head.head {
            section[key]?.warn(
                "`\(section.name(of: key))` is larger than 64KiB, the most that HTTP/2 carries in one field: a longer one closes the connection"
            )
        }
    }
}
