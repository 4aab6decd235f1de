import ProxySettings

/// The keys of `upstream`, where it is a mapping without path prefixes.
enum FleetKey: String, ConfigurationKey {
    case targets, balance, health, eject, retries
    case slowStart = "slow_start"
    case connections

    enum Balance: String, CaseIterable {
        case leastRequests = "least_requests"
        case roundRobin = "round_robin"
    }

    /// Names by which other gateways call the targets, or a part of one.
    static let wordsForTargets = [
        "url", "urls", "uri", "host", "port", "address", "servers", "server", "hosts", "endpoints", "nodes", "backends",
        "addresses",
        "members",
        "dns", "weight",
    ]

    static let section = SectionReference(
        "upstream", "Several targets: how they share the requests, and what becomes of one that fails.",
        of: FleetKey.self)

    var reference: KeyReference {
        switch self {
        case .targets:
            KeyReference(
                .list(.oneOf([.text("a URL"), .section(FleetTargetKey.section)])),
                .refused(hint: "write the targets' URLs"),
                "Where requests go: `http`, `https`, `h2c`, or `http+unix` and `h2c+unix` with a socket's path; at most \(FleetReader.mostTargets).",
                example: "[http://10.0.0.7:9000, {url: http://10.0.0.8:9000, weight: 2}]")
        case .balance:
            KeyReference(
                .oneOf([.words(of: Balance.self), .mapping(of: .words(["hash"]), to: .section(HashKey.section))]),
                .value(Balance.leastRequests.rawValue),
                "Who gets a request: the target with the fewest in flight of two drawn at random, each in turn, or by hash always the same.",
                example: "round_robin")
        case .health:
            KeyReference(
                .section(HealthKey.section), .meaning("only requests show how a target is"), HealthKey.section.text,
                example: "{path: /healthz, every: 5s}")
        case .eject:
            KeyReference(
                .oneOf([.section(EjectionKey.section), .words(["off"])]),
                .meaning("five failures in a row leave a target out for 10s"),
                EjectionKey.section.text, example: "{failures: 3, for: 30s}")
        case .retries:
            KeyReference(
                .oneOf([.section(RetryKey.section), .words(["off"])]), .meaning("the defaults of its keys hold"),
                RetryKey.section.text,
                example: "{budget: 10%}")
        case .slowStart:
            KeyReference(
                .duration(.zero ... .seconds(600)), .value("0s"),
                "Over which time a target that was left out gets its full share again.", example: "10s")
        case .connections:
            KeyReference(
                .section(ConnectionsKey.section), .meaning("there is no bound"), ConnectionsKey.section.text,
                example: "{most: 100}")
        }
    }
}

/// The keys of a target that is more than a URL.
enum FleetTargetKey: String, ConfigurationKey {
    case url, dns, weight

    static let section = SectionReference("targets", "One target of several.", of: FleetTargetKey.self)

    var reference: KeyReference {
        switch self {
        case .url:
            KeyReference(
                .text("a URL"), .refusedUnless("with `dns`", hint: UpstreamReader.example),
                "Where it is: `http`, `https`, `h2c`, `http+unix` or `h2c+unix`.",
                example: "http://10.0.0.8:9000")
        case .dns:
            KeyReference(
                .text("a URL with a name"), .meaning("there is a `url`"),
                "Each address of the name is a target, at most \(FleetReader.mostTargets); they come and go as name servers say.",
                example: "http://shop.internal:9000")
        case .weight:
            KeyReference(
                .integer(1...100), .value(1), "How many requests it gets, relative to the others.", example: "2")
        }
    }
}

/// The keys of `hash`.
enum HashKey: String, ConfigurationKey {
    case header, claim

    static let natural: [Self] = [.claim]

    static let section = SectionReference(
        "hash",
        "Requests with the same value go to the same target, unless that has a quarter more requests than the mean.",
        of: HashKey.self)

    var reference: KeyReference {
        switch self {
        case .header:
            KeyReference(
                .text("a field name"), .refusedUnless("with `claim`", hint: FleetReader.hashExample),
                "The field of the request; one without it goes to the target with the fewest requests.",
                example: "X-Cart")
        case .claim:
            KeyReference(
                .text("a claim's name or path"), .meaning("a field decides"),
                "The claim of the token: text, a number or a boolean. A request without it goes to the target with the fewest requests.",
                example: "sub")
        }
    }
}

/// The keys of `health`.
enum HealthKey: String, ConfigurationKey {
    case path, grpc, host, every, timeout
    case downAfter = "down_after"
    case upAfter = "up_after"
    case expect

    static let natural: [Self] = [.path]

    static let section = SectionReference(
        "health",
        "How each target is asked whether it is well, over a connection of its own. After failed checks in a row no request goes to it; "
            + "if every target is out, requests are answered 503.", of: HealthKey.self)

    var reference: KeyReference {
        let defaults = HealthCheck(.grpc(service: ""))
        return switch self {
        case .path:
            KeyReference(
                .text("a path"), .refusedUnless("with `grpc`", hint: "write {path: /healthz}, or {grpc: SERVICE}"),
                "What is asked for by `GET`, perhaps with a query; the path of the target's URL is not put before it.",
                example: "/healthz")
        case .grpc:
            KeyReference(
                .text("a service"), .meaning("`path` is asked for"),
                "The service to ask for by gRPC's health checking protocol, or `*` for the server as a whole. The targets have to speak HTTP/2.",
                example: "shop.Cart")
        case .host:
            KeyReference(
                .text("a host, perhaps with a port"), .meaning("it is `upstream_host`, or the target's own"),
                "What goes into `Host`.",
                example: "shop.internal")
        case .every:
            KeyReference(
                .duration(.seconds(1) ... .seconds(3600)), .value(defaults.interval),
                "From one check of a target to the next, more or less a tenth.", example: "10s")
        case .timeout:
            KeyReference(
                .duration(.milliseconds(50) ... .seconds(60)), .value(defaults.timeout),
                "For the connection and the answer together.", example: "1s")
        case .downAfter:
            KeyReference(
                .integer(1...100), .value(defaults.downAfter), "How many failed checks in a row leave a target out.",
                example: "2")
        case .upAfter:
            KeyReference(
                .integer(1...100), .value(defaults.upAfter), "How many good checks in a row bring it back.",
                example: "1")
        case .expect:
            KeyReference(
                .pattern("a status, or the first and the last of a range", "^[1-5][0-9][0-9](-[1-5][0-9][0-9])?$"),
                .value("200-299"),
                "The statuses that are good.", example: "204")
        }
    }
}

/// The keys of `eject`.
enum EjectionKey: String, ConfigurationKey {
    case failures
    case duration = "for"
    case most

    static let section = SectionReference(
        "eject",
        "When a target is left out: after so many failures in a row, such as no connection, no answer, 502, 503 or 504. "
            + "Then one request tries whether it is back; where there was no connection, the gateway connects first. "
            + "The last target is never left out.", of: EjectionKey.self)

    var reference: KeyReference {
        let defaults = FleetSettings.Ejection()
        return switch self {
        case .failures:
            KeyReference(.integer(1...1000), .value(defaults.failures), "How many failures in a row.", example: "3")
        case .duration:
            KeyReference(
                .duration(.seconds(1) ... .seconds(3600)), .value("10s"), "For how long it is left out.", example: "30s"
            )
        case .most:
            KeyReference(
                .oneOf([.words(["half"]), .integer(0...FleetReader.mostTargets)]), .value("half"),
                "How many targets may be left out at once; half is rounded down.", example: "1")
        }
    }
}

/// The keys of `connections`.
enum ConnectionsKey: String, ConfigurationKey {
    case most, waiting, wait

    static let section = SectionReference(
        "connections",
        "How many requests a target has at once, over all event loops; with HTTP/1.1 that many connections, idle ones included. A full target gets no "
            + "request while another has a free place; if all are full, requests wait in their order. Past that they are 503 `overloaded`.",
        of: ConnectionsKey.self)

    var reference: KeyReference {
        let defaults = FleetSettings.Connections(most: 1)
        return switch self {
        case .most:
            KeyReference(
                .integer(1...1_000_000), .refused(hint: "write {most: 100}"),
                "How many requests each target has at once.", example: "100")
        case .waiting:
            KeyReference(
                .integer(0...10_000), .value(defaults.waiting),
                "How many requests wait for a place at any of the targets.", example: "200")
        case .wait:
            KeyReference(
                .duration(.milliseconds(1) ... .seconds(60)), .value(defaults.wait),
                "For how long each of them waits at most.",
                example: "500ms")
        }
    }
}

/// The keys of `retries`.
enum RetryKey: String, ConfigurationKey {
    case budget, methods
    case causes = "on"

    static let section = SectionReference(
        "retries", "When a request is tried again, at another target if there is one.", of: RetryKey.self)

    var reference: KeyReference {
        let defaults = FleetSettings.Retries()
        return switch self {
        case .budget:
            KeyReference(
                .pattern("a percentage", "^(100|[0-9]{1,2})%$"), .value("\(defaults.budget)%"),
                "How many requests of the last ten seconds may be tried again; three a second may in any case, but not with `0%`.",
                example: "10%")
        case .methods:
            KeyReference(
                .list(.text("a method")), .value("[\(defaults.methods.joined(separator: ", "))]"),
                "Requests that may be sent again though the first may have had an effect; only without a body.",
                example: "[GET, HEAD]")
        case .causes:
            KeyReference(
                .list(.words(of: FleetSettings.Retries.Cause.self)),
                .value("[\(defaults.causes.map(\.rawValue).joined(separator: ", "))]"),
                "What has to have happened: no connection, a reused connection that closed before an answer, any connection that did, "
                    + "an upstream that says it did not process the request. Write `\"on\"` if other tools read the file: in YAML 1.1 `on` is `true`.",
                example: "[connect, closed, refused]")
        }
    }
}
