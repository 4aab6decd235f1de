import ProxySettings

extension FleetSettings: Defaulted {
    static var defaults: Self { Self(balance: .leastRequests) }
}
extension FleetSettings.Ejection: Defaulted {
    static var defaults: Self { Self() }
}
extension FleetSettings.Connections: Defaulted {
    static var defaults: Self { Self(most: 1) }
}
extension FleetSettings.Retries: Defaulted {
    static var defaults: Self { Self() }
}
extension HealthCheck: Defaulted {
    static var defaults: Self { Self(.grpc(service: "")) }
}

/// Configuration keys of `upstream` in its mapping form without path prefixes.
final class FleetKeys: SectionKeys {
    enum Balance: String, CaseIterable {
        case leastRequests = "least_requests"
        case roundRobin = "round_robin"
    }

    /// Names that other gateways use for the targets, or for parts of one.
    static let wordsForTargets = [
        "url", "urls", "uri", "host", "port", "address", "servers", "server", "hosts", "endpoints", "nodes", "backends",
        "addresses",
        "members",
        "dns", "weight",
    ]

    static let section = SectionReference(
        "upstream", "Load balancing over several targets, and the handling of failing ones.",
        of: FleetKeys.self)

    let targets = Key(
        "targets", form: .list(.oneOf([.text("a URL"), .section(FleetTargetKeys.section)])),
        .refused(hint: "write the targets' URLs"),
        "Where requests go: `http`, `https`, `h2c`, or `http+unix` and `h2c+unix` with a socket's path; at most \(FleetReader.mostTargets).",
        example: "[http://10.0.0.7:9000, {url: http://10.0.0.8:9000, weight: 2}]")
    let balance = Setting(
        "balance", \FleetSettings.balance,
        KeyForm(
            .oneOf([.words(of: Balance.self), .mapping(of: .words(["hash"]), to: .section(HashKeys.section))]),
            FleetReader.balance),
        without: .value(Balance.leastRequests.rawValue),
        "How a target is chosen: the one with fewer requests in flight of two random ones, round robin, or by hash.",
        example: "round_robin")
    let health = Setting(
        "health", \FleetSettings.health, KeyForm(.section(HealthKeys.section), HealthReader.read),
        without: .meaning("targets are judged by their responses only"), HealthKeys.section.text,
        example: "{path: /healthz, every: 5s}")
    let eject = Setting(
        "eject", \FleetSettings.ejection, .orOff(.settings(EjectionKeys.self)),
        without: .meaning("a target is ejected for 10s after five failures in a row"), EjectionKeys.section.text,
        example: "{failures: 3, for: 30s}")
    let retries = Key(
        "retries", form: .orOff(.section(RetryKeys.section)), .meaning("the defaults of its keys hold"),
        RetryKeys.section.text, example: "{budget: 10%}")
    let slowStart = Setting(
        "slow_start", \FleetSettings.slowStart, .duration(.zero ... .seconds(600)),
        "Time in which a returning target gets its full share again.", example: "10s")
    let connections = Setting(
        "connections", \FleetSettings.connections, .settings(ConnectionsKeys.self),
        without: .meaning("there is no bound"), ConnectionsKeys.section.text, example: "{most: 100}")
}

/// Configuration keys of a target in its mapping form.
final class FleetTargetKeys: SectionKeys {
    static let section = SectionReference("targets", "One target of several.", of: FleetTargetKeys.self)

    let url = Key(
        "url", form: .text("a URL"), .refusedUnless("with `dns`", hint: UpstreamReader.example),
        "URL of the target: `http`, `https`, `h2c`, `http+unix` or `h2c+unix`.", example: "http://10.0.0.8:9000")
    let dns = Key(
        "dns", form: .text("a URL with a name"), .meaning("there is a `url`"),
        "Each address that DNS returns for the name is a target, at most \(FleetReader.mostTargets). Changes in DNS are followed.",
        example: "http://shop.internal:9000")
    let weight = Key(
        "weight", .integer(1...100), default: 1, "How many requests it gets, relative to the others.", example: "2")
}

/// Configuration keys of `hash`.
final class HashKeys: SectionKeys {
    static let section = SectionReference(
        "hash",
        "Requests with the same value go to the same target, unless that has a quarter more requests than the mean.",
        of: HashKeys.self)

    var natural: [any SectionKey] { [claim] }

    let header = Key(
        "header", KeyForm(.text("a header name"), FleetReader.hashedField),
        .refusedUnless("with `claim`", hint: FleetReader.hashExample),
        "The header of the request; a request without it goes to the target with the fewest requests.",
        example: "X-Cart")
    let claim = Key(
        "claim", form: .text("a claim's name or path"), .meaning("a header decides"),
        "The claim of the token: text, a number or a boolean. A request without it goes to the target with the fewest requests.",
        example: "sub")
}

/// Configuration keys of `health`.
final class HealthKeys: SectionKeys {
    static let section = SectionReference(
        "health",
        "Active health check of each target over a separate connection. After failed checks in a row it gets no requests; "
            + "if every target is out, requests are answered 503.", of: HealthKeys.self)

    private static let count = KeyForm.integer(1...100)

    var natural: [any SectionKey] { [path] }

    let path = Key(
        "path", KeyForm(.text("a path"), HealthReader.path),
        .refusedUnless("with `grpc`", hint: "write {path: /healthz}, or {grpc: SERVICE}"),
        "Path for `GET`, optionally with a query. The path of the target's URL is not prepended.",
        example: "/healthz")
    let grpc = Key(
        "grpc", form: .text("a service"), .meaning("`path` is asked for"),
        "The service to ask for by gRPC's health checking protocol, or `*` for the server as a whole. The targets have to speak HTTP/2.",
        example: "shop.Cart")
    let host = Setting(
        "host", \HealthCheck.host, KeyForm(.text("a host, perhaps with a port"), UpstreamReader.host),
        without: .meaning("it is `upstream_host`, or the target's own"), "What goes into `Host`.",
        example: "shop.internal")
    let every = Setting(
        "every", \HealthCheck.interval, .duration(.seconds(1) ... .seconds(3600)),
        "Time between two checks of a target, ±10 %.", example: "10s")
    let timeout = Setting(
        "timeout", \HealthCheck.timeout, .duration(.milliseconds(50) ... .seconds(60)),
        "Time limit of a check, from connecting to the response.", example: "1s")
    let downAfter = Setting(
        "down_after", \HealthCheck.downAfter, HealthKeys.count, "How many failed checks in a row leave a target out.",
        example: "2")
    let upAfter = Setting(
        "up_after", \HealthCheck.upAfter, HealthKeys.count, "How many good checks in a row bring it back.", example: "1"
    )
    let expect = Key(
        "expect",
        KeyForm(
            .pattern("a status, or the first and the last of a range", "^[1-5][0-9][0-9](-[1-5][0-9][0-9])?$"),
            HealthReader.statuses
        ) { .value("\($0.lowerBound)-\($0.upperBound)") },
        default: 200...299, "The statuses that are good.", example: "204")
}

/// Configuration keys of `eject`.
final class EjectionKeys: SectionKeys {
    static let section = SectionReference(
        "eject",
        "When a target is ejected: after a number of failures in a row, such as no connection, no response, 502, 503 or 504. "
            + "Then one request tries whether it is back; where there was no connection, the gateway connects first. "
            + "The last target is never left out.", of: EjectionKeys.self)

    let failures = Setting(
        "failures", \FleetSettings.Ejection.failures, .integer(1...1000), "How many failures in a row.", example: "3")
    let duration = Setting(
        "for", \FleetSettings.Ejection.duration, .duration(.seconds(1) ... .seconds(3600)),
        "For how long it is left out.", example: "30s")
    let most = Setting(
        "most", \FleetSettings.Ejection.most,
        KeyForm(.oneOf([.words(["half"]), .integer(0...FleetReader.mostTargets)]), FleetReader.share),
        without: .value("half"), "How many targets may be left out at once; half is rounded down.", example: "1")
}

/// Configuration keys of `connections`.
final class ConnectionsKeys: SectionKeys {
    static let section = SectionReference(
        "connections",
        "How many requests a target has at once, over all event loops; with HTTP/1.1 that many connections, idle ones included. A full target gets no "
            + "request while another has a free slot. If all are full, requests wait in order; beyond that they are 503 `overloaded`.",
        of: ConnectionsKeys.self)

    let most = Setting(
        "most", \FleetSettings.Connections.most, .integer(1...1_000_000), without: .refused(hint: "write {most: 100}"),
        "Maximum number of concurrent requests of each target, and of HTTP/1.1 connections to it.", example: "100")
    let waiting = Setting(
        "waiting", \FleetSettings.Connections.waiting, .integer(0...10_000),
        "How many requests may wait for a slot at any target.", example: "200")
    let wait = Setting(
        "wait", \FleetSettings.Connections.wait, .duration(.milliseconds(1) ... .seconds(60)),
        "For how long each of them waits at most.", example: "500ms")
}

/// Configuration keys of `retries`.
final class RetryKeys: SectionKeys {
    static let section = SectionReference(
        "retries", "When a request is tried again, at another target if there is one.", of: RetryKeys.self)

    let budget = Setting(
        "budget", \FleetSettings.Retries.budget,
        KeyForm(.pattern("a percentage", "^(100|[0-9]{1,2})%$"), FleetReader.percentage) { .value("\($0)%") },
        "How many requests of the last ten seconds may be tried again; three a second may in any case, but not with `0%`.",
        example: "10%")
    let methods = Key(
        "methods", form: .list(.text("a method")),
        .value("[\(FleetSettings.Retries.defaults.methods.joined(separator: ", "))]"),
        "Methods that may be retried even if the first attempt may have had an effect; only without a body.",
        example: "[GET, HEAD]")
    let causes = Setting(
        "on", \FleetSettings.Retries.causes,
        KeyForm(.list(.words(of: FleetSettings.Retries.Cause.self)), FleetReader.causes) {
            .value("[\($0.map(\.rawValue).joined(separator: ", "))]")
        },
        "Failures that are retried: no connection, a reused connection that closed before the response, any connection that did. "
            + "With `refused` also requests that the upstream says it did not process. Write `\"on\"` if other tools read the file: in YAML 1.1 `on` is `true`.",
        example: "[connect, closed, refused]")
}
