import HTTPMessages
import ProxySettings

/// The keys of `limits`.
enum LimitKey: String, ConfigurationKey {
    case authorization, field, head, fields, target, identity, body, connections
    case connectionsPerAddress = "connections_per_address"
    case requestsPerConnection = "requests_per_connection"
    case streams
    case inFlight = "in_flight"
    case inFlightPerAddress = "in_flight_per_address"
    case waitingForKeys = "waiting_for_keys"
    case failedVerificationsPerAddress = "failed_verifications_per_address"
    case bodyRate = "body_rate"
    case replay
    case replayTotal = "replay_total"
    case quotaKeys = "quota_keys"

    static let natural: [Self] = [.body]

    static let section = SectionReference("limits", "How much clients may ask for at once.", of: LimitKey.self)

    /// What one part of a head may have, in bytes.
    private static let part = ValueForm.size(64...1024 * 1024)
    private static let count = ValueForm.integer(1...10_000_000)
    private static let unbounded = KeyAbsence.meaning("there is no bound")

    var reference: KeyReference {
        switch self {
        case .authorization, .field, .head, .fields, .target, .identity: ofHeads
        case .body, .bodyRate, .replay, .replayTotal: ofBodies
        case .connections, .connectionsPerAddress, .requestsPerConnection, .streams: ofConnections
        case .inFlight, .inFlightPerAddress, .waitingForKeys, .failedVerificationsPerAddress, .quotaKeys: ofWork
        }
    }

    private var ofHeads: KeyReference {
        let limits = ProxyLimits().head
        return switch self {
        case .authorization:
            KeyReference(
                Self.part, .value(ofBytes: limits.authorization),
                "The longest value of `Authorization`; a longer one is 431.",
                example: "24KiB")
        case .field:
            KeyReference(
                Self.part, .value(ofBytes: limits.field), "The longest other field line; a longer one is 431.",
                example: "16KiB")
        case .fields:
            KeyReference(
                .integer(1...10_000), .value(limits.fields), "The most field lines of a request; more are 431.",
                example: "200")
        case .target:
            KeyReference(
                Self.part, .value(ofBytes: limits.target), "The longest request target; a longer one is 414.",
                example: "4KiB")
        case .identity:
            KeyReference(
                .size(64...64 * 1024), .value(ofBytes: ProxyLimits().identity),
                "The longest value of a field that states the identity to the upstream; a request with a longer one is 403.",
                example: "2KiB")
        default:
            KeyReference(
                Self.part, .value(ofBytes: limits.head), "The longest request head as a whole; a longer one is 431.",
                example: "64KiB")
        }
    }

    private var ofBodies: KeyReference {
        let limits = ProxyLimits()
        return switch self {
        case .bodyRate:
            KeyReference(
                .orOff(.integer(1...(1 << 30))), .value(limits.bodyRate),
                "The least that a client must send of a body, in bytes a second on average; a slower one is 408.",
                example: "100")
        case .replay:
            KeyReference(
                .orOff(.size(0...(1 << 20))), .value(ofBytes: limits.replay),
                "How much of a request body is kept, so that it can be sent again if an HTTP/2 upstream did not process it.",
                example: "256KiB")
        case .replayTotal:
            KeyReference(
                .orOff(.size(0...(1 << 40))), .value(ofBytes: limits.replayTotal),
                "How much of all request bodies together is kept for that. A body beyond it is not kept, and its request goes on.",
                example: "128MiB")
        default:
            KeyReference(
                .orOff(.size(0...(1 << 50))), Self.unbounded, "The longest request body; a longer one is 413.",
                example: "10MiB")
        }
    }

    private var ofConnections: KeyReference {
        let limits = ProxyLimits()
        return switch self {
        case .connectionsPerAddress:
            KeyReference(
                .orOff(Self.count), Self.unbounded, "Open connections from one address; more are closed at once.",
                example: "100")
        case .requestsPerConnection:
            KeyReference(
                .orOff(Self.count), Self.unbounded, "Requests on one connection; after the last it is closed.",
                example: "1000")
        case .streams:
            KeyReference(
                .integer(1...100_000), .value(limits.streams),
                "Concurrent requests on one HTTP/2 connection; more are refused.",
                example: "250")
        default:
            KeyReference(
                Self.count, .value(limits.connections), "Open client connections; more wait to be accepted.",
                example: "50000")
        }
    }

    private var ofWork: KeyReference {
        let limits = ProxyLimits()
        return switch self {
        case .inFlightPerAddress:
            KeyReference(
                .orOff(Self.count), .meaning("an address may have another as long as it has fewer than are free"),
                "Requests of one client that are with an upstream; more are 503 `overloaded`. Addresses in `trusted_proxies` have no limit.",
                example: "500")
        case .waitingForKeys:
            KeyReference(
                Self.count, .value(limits.waitingForKeys),
                "Requests that wait for keys or for an answer about an opaque token; more are 503.", example: "4096")
        case .quotaKeys:
            KeyReference(
                Self.count, .value(limits.quotaKeys),
                "Callers that quotas count at the same time; while there are so many, requests of new ones are 503 `overloaded`.",
                example: "1000000")
        case .failedVerificationsPerAddress:
            KeyReference(
                .orOff(Self.count), limits.failedVerificationsPerAddress.map { .value($0) } ?? Self.unbounded,
                "Tokens of one client that fail verification within a second; after that its unknown tokens are 429 for the rest of it.",
                example: "20")
        default:
            KeyReference(
                Self.count, .value(limits.inFlight), "Requests that are with an upstream; more are 503 `overloaded`.",
                example: "2000")
        }
    }
}

/// The keys of `timeouts`.
enum TimeoutKey: String, ConfigurationKey {
    case handshake, head
    case bodyIdle = "body_idle"
    case streamIdle = "stream_idle"
    case idle, connect
    case firstByte = "first_byte"
    case drain
    case drainDelay = "drain_delay"
    case start

    static let natural: [Self] = [.firstByte]

    static let section = SectionReference(
        "timeouts",
        "How long Bearward waits for clients and upstreams. Each ends up to half a second late, and none early.",
        of: TimeoutKey.self)

    private static let wait = ValueForm.duration(.milliseconds(1) ... .seconds(86_400))
    private static let pause = ValueForm.duration(.zero ... .seconds(86_400))

    var reference: KeyReference {
        let times = ProxyTimeouts()
        return switch self {
        case .handshake:
            KeyReference(Self.wait, .value(times.handshake), "For the TLS handshake with a client.", example: "3s")
        case .head:
            KeyReference(
                Self.wait, .value(times.head),
                "From the first byte of a connection or request until its head is whole (408).",
                example: "5s")
        case .bodyIdle:
            KeyReference(
                Self.wait, .value(times.bodyIdle), "Between two parts of a body, in either direction.", example: "1m")
        case .streamIdle:
            KeyReference(
                Self.wait, .value(times.streamIdle),
                "Between two parts of an event stream, gRPC call or WebSocket, in either direction.", example: "15m")
        case .idle: KeyReference(Self.wait, .value(times.idle), "Between two requests of a connection.", example: "2m")
        case .connect:
            KeyReference(Self.wait, .value(times.connect), "For connecting to an upstream (504).", example: "1s")
        case .firstByte:
            KeyReference(
                Self.wait, .value(times.firstByte),
                "From the end of the request until the head of the upstream's response (504).",
                example: "2m")
        case .drain:
            KeyReference(
                Self.pause, .value(times.drain), "For the requests in flight when the gateway stops.", example: "10s")
        case .drainDelay:
            KeyReference(
                Self.pause, .value(times.drainDelay),
                "Between the signal to stop and the last accepted connection, so that load balancers notice `/readyz`.",
                example: "5s")
        case .start:
            KeyReference(
                .duration(.seconds(1) ... .seconds(86_400)), .value(times.start),
                "From the start of a worker until it is ready, beside `connect`. One that takes longer is killed.",
                example: "2m")
        }
    }
}
