import HTTPMessages
import ProxySettings

extension ProxyLimits: Defaulted {
    static var defaults: Self { Self() }
}
extension ProxyTimeouts: Defaulted {
    static var defaults: Self { Self() }
}

/// Configuration keys of `limits`.
final class LimitKeys: SectionKeys {
    static let section = SectionReference("limits", "Limits on what clients can consume.", of: LimitKeys.self)

    /// Form of the size limit for one part of a head.
    private static let part = KeyForm.size(64...1024 * 1024)
    private static let count = KeyForm.integer(1...10_000_000)

    var natural: [any SectionKey] { [body] }

    let authorization = Setting(
        "authorization", \ProxyLimits.head.authorization, LimitKeys.part,
        "The longest value of `Authorization`; a longer one is 431.", example: "24KiB")
    let field = Setting(
        "field", \ProxyLimits.head.field, LimitKeys.part, "The longest other header line; a longer one is 431.",
        example: "16KiB")
    let head = Setting(
        "head", \ProxyLimits.head.head, LimitKeys.part, "The longest request head as a whole; a longer one is 431.",
        example: "64KiB")
    let fields = Setting(
        "fields", \ProxyLimits.head.fields, .integer(1...10_000), "The most header lines of a request; more are 431.",
        example: "200")
    let target = Setting(
        "target", \ProxyLimits.head.target, LimitKeys.part, "The longest request target; a longer one is 414.",
        example: "4KiB")
    let identity = Setting(
        "identity", \ProxyLimits.identity, .size(64...64 * 1024),
        "The longest value of a header that states the identity to the upstream; a request with a longer one is 403.",
        example: "2KiB")
    let body = Setting(
        "body", \ProxyLimits.body, .orOff(.size(0...(1 << 50))), "The longest request body; a longer one is 413.",
        example: "10MiB")
    let connections = Setting(
        "connections", \ProxyLimits.connections, LimitKeys.count, "Open client connections; more wait to be accepted.",
        example: "50000")
    let connectionsPerAddress = Setting(
        "connections_per_address", \ProxyLimits.connectionsPerAddress, .orOff(LimitKeys.count),
        "Open connections from one address; more are closed at once.", example: "100")
    let requestsPerConnection = Setting(
        "requests_per_connection", \ProxyLimits.requestsPerConnection, .orOff(LimitKeys.count),
        "Requests on one connection; after the last it is closed.", example: "1000")
    let streams = Setting(
        "streams", \ProxyLimits.streams, .integer(1...100_000),
        "Concurrent requests on one HTTP/2 connection; more are refused.", example: "250")
    let inFlight = Setting(
        "in_flight", \ProxyLimits.inFlight, LimitKeys.count,
        "Requests that are with an upstream; more are 503 `overloaded`.", example: "2000")
    let inFlightPerAddress = Setting(
        "in_flight_per_address", \ProxyLimits.inFlightPerAddress,
        KeyForm<Int?>.orOff(LimitKeys.count).map { $0.map { .atMost($0) } ?? .unbounded },
        without: .meaning("an address may have one more while it holds fewer than are free"),
        "Requests of one client that are with an upstream; more are 503 `overloaded`. Addresses in `trusted_proxies` have no limit.",
        example: "500")
    let waitingForKeys = Setting(
        "waiting_for_keys", \ProxyLimits.waitingForKeys, LimitKeys.count,
        "Requests that wait for keys or for an answer about an opaque token; more are 503.", example: "4096")
    let failedVerificationsPerAddress = Setting(
        "failed_verifications_per_address", \ProxyLimits.failedVerificationsPerAddress, .orOff(LimitKeys.count),
        "Failed verifications of one client per second. Beyond that, its tokens that are not cached are 429 for the rest of the second.",
        example: "20")
    let bodyRate = Setting(
        "body_rate", \ProxyLimits.bodyRate, .zeroIfOff(.integer(1...(1 << 30))),
        "Lowest average rate of a request body, in bytes per second; a slower one is 408.",
        example: "100")
    let replay = Setting(
        "replay", \ProxyLimits.replay, .zeroIfOff(.size(0...(1 << 20))),
        "How much of a request body is kept, so that it can be sent again if an HTTP/2 upstream did not process it.",
        example: "256KiB")
    let replayTotal = Setting(
        "replay_total", \ProxyLimits.replayTotal, .zeroIfOff(.size(0...(1 << 40))),
        "How much of all request bodies together is kept for `replay`. A body beyond it is not kept; its request is still forwarded.",
        example: "128MiB")
    let quotaKeys = Setting(
        "quota_keys", \ProxyLimits.quotaKeys, LimitKeys.count,
        "Callers that quotas count at the same time; while there are so many, requests of new ones are 503 `overloaded`.",
        example: "1000000")
}

/// Configuration keys of `timeouts`.
final class TimeoutKeys: SectionKeys {
    static let section = SectionReference(
        "timeouts",
        "How long Bearward waits for clients and upstreams. Time-outs expire up to half a second late, never early.",
        of: TimeoutKeys.self)

    private static let wait = KeyForm.duration(.milliseconds(1) ... .seconds(86_400))
    private static let pause = KeyForm.duration(.zero ... .seconds(86_400))

    var natural: [any SectionKey] { [firstByte] }

    let handshake = Setting(
        "handshake", \ProxyTimeouts.handshake, TimeoutKeys.wait, "For the TLS handshake with a client.", example: "3s")
    let head = Setting(
        "head", \ProxyTimeouts.head, TimeoutKeys.wait,
        "From the first byte of a connection or request until its head is whole (408).", example: "5s")
    let bodyIdle = Setting(
        "body_idle", \ProxyTimeouts.bodyIdle, TimeoutKeys.wait, "Between two parts of a body, in either direction.",
        example: "1m")
    let streamIdle = Setting(
        "stream_idle", \ProxyTimeouts.streamIdle, TimeoutKeys.wait,
        "Between two parts of an event stream, gRPC call or WebSocket, in either direction.", example: "15m")
    let idle = Setting(
        "idle", \ProxyTimeouts.idle, TimeoutKeys.wait, "Between two requests of a connection.", example: "2m")
    let connect = Setting(
        "connect", \ProxyTimeouts.connect, TimeoutKeys.wait, "For connecting to an upstream (504).", example: "1s")
    let firstByte = Setting(
        "first_byte", \ProxyTimeouts.firstByte, TimeoutKeys.wait,
        "From the end of the request until the head of the upstream's response (504).", example: "2m")
    let drain = Setting(
        "drain", \ProxyTimeouts.drain, TimeoutKeys.pause, "For the requests in flight when the gateway stops.",
        example: "10s")
    let drainDelay = Setting(
        "drain_delay", \ProxyTimeouts.drainDelay, TimeoutKeys.pause,
        "Between the signal to stop and the last accepted connection, so that load balancers notice `/readyz`.",
        example: "5s")
    let start = Setting(
        "start", \ProxyTimeouts.start, .duration(.seconds(1) ... .seconds(86_400)),
        "From the start of a worker until it is ready, beside `connect`. One that takes longer is killed.",
        example: "2m")
}
