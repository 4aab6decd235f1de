import AccessControl
import Callers
import KeySets
import NetworkNames
import ProxySettings
import RequestAuthorization
import TokenVerification

/// Routes of a resource's requests to upstream groups.
struct UpstreamRoutes {
    let table: RouteTable
    /// Index of each route's upstream group, counted over all resources.
    let groups: IndexedBy<RuleIndex, UpstreamIndex>
}

/// Reads `upstream`, `upstream_host` and `upstream_tls`.
struct UpstreamReader {
    static let example = "write `http://127.0.0.1:9000`"

    /// Index of the resource's first group: the number of groups of the resources before it.
    let firstGroup: UpstreamIndex
    /// True if the file has doors. The resource may then have no upstream, because proxies forward its requests.
    let mayBeAbsent: Bool
    let methods: KnownMethods
    private(set) var groups: [UpstreamGroup] = []
    /// Base paths of URLs, one for each group that has one.
    private(set) var basePaths: [BasePath] = []
    /// Targets of all groups, in file order.
    private(set) var targets: [ConfiguredTarget] = []
    /// TLS settings for `https` upstreams of the resource. Nil if they are invalid.
    private(set) var security: TargetSecurity?
    private(set) var namesSecureTarget = false

    mutating func read(_ section: Section<ResourceKeys>, rules: ResourceRules?, parameters: PathParameters)
        -> UpstreamRoutes?
    {
        let host = section.read(\.upstreamHost).value
        security = section.read(\.upstreamTLS).or(TargetSecurity())
        defer { section[\.upstreamTLS].map(reportUnused) }
        if mayBeAbsent, section[\.upstream] == nil { return none(section) }
        guard let value = section.required(\.upstream) else { return nil }
        guard value.isMapping, !Self.isFleet(value) else { return all(to: value, host) }
        return prefixes(value, host, rules, parameters)
    }

    /// Reads a resource without upstream. Keys that need an upstream are reported.
    private func none(_ section: Section<ResourceKeys>) -> UpstreamRoutes {
        // The permitted origins of WebSockets are also checked at doors. Whether there are WebSockets is the proxy's
        // decision.
        let webSockets = section[\.websocket].flatMap { $0.isMapping ? nil : $0 }
        for value in [section[\.upstreamHost], section[\.upstreamTLS], section[\.stripPrefix], webSockets] {
            value?.reportMissing(
                "needs an `upstream`, and the resource has none",
                hint: "take it out: the proxy that asks at a door forwards requests")
        }
        return UpstreamRoutes(table: RouteTable(), groups: [])
    }

    /// Claim by which the requests of each route are hashed to the targets. Nil if they are not hashed by a claim.
    func spreads(of routes: UpstreamRoutes) -> IndexedBy<RuleIndex, CallerAttribute?> {
        routes.groups.mapped { index in
            let group = index.rawValue - firstGroup.rawValue
            guard groups.indices.contains(group), case .hash(.claim(let path)) = groups[group].fleet.balance else {
                return nil
            }
            return (try? ClaimPath(path)).map { .claim($0) }
        }
    }

    /// True if a mapping has keys of a fleet, possibly misspelled. A mapping with a path among its keys is one of
    /// prefixes.
    private static func isFleet(_ value: Value) -> Bool {
        let members = value.members() ?? []
        let names = FleetKeys.names
        return !members.contains { $0.key.hasPrefix("/") }
            && members.contains { NearestName.of($0.key, among: names) != nil || isOfFleet($0) }
    }

    /// True if a key is one of a target, or one by which other gateways name the targets.
    private static func isOfFleet(_ member: Value.Member) -> Bool {
        // A single URL is the value of a prefix that lacks its slash.
        FleetTargetKeys.names.contains(member.key)
            || FleetKeys.wordsForTargets.contains(member.key) && !member.value.isScalar
    }

    private mutating func all(to value: Value, _ host: String?) -> UpstreamRoutes? {
        guard let group = group(value, below: "", host), let pattern = try? RoutePattern("ANY /**"),
            let table = try? RouteTable([pattern])
        else {
            return nil
        }
        groups.append(group)
        return UpstreamRoutes(table: table, groups: [firstGroup])
    }

    private mutating func prefixes(
        _ value: Value, _ host: String?, _ rules: ResourceRules?, _ parameters: PathParameters
    ) -> UpstreamRoutes? {
        let members = value.members() ?? []
        if members.isEmpty { value.reportMissing("names no upstream", hint: "write {/prefix: http://127.0.0.1:9000}") }
        var routes: [RoutePattern] = []
        var places: [RoutePattern: Position] = [:]
        for member in members {
            guard let route = Self.route(member, parameters) else { continue }
            let group = group(member.value, below: member.key, host)
            if let first = places[route] {
                member.reportKey("the same prefix stands at \(first)")
            } else if let group {
                places[route] = member.value.keyPosition
                routes.append(route)
                groups.append(group)
            }
        }
        guard let table = try? RouteTable(routes) else { return nil }
        Self.warnOfUncovered(rules, routes)
        return UpstreamRoutes(
            table: table, groups: IndexedBy(routes.indices.map { UpstreamIndex(firstGroup.rawValue + $0) }))
    }

    /// Reads a path prefix of `upstream`. A prefix covers itself and everything below it, in whole segments. Nil after
    /// an error, which is reported.
    private static func route(_ member: Value.Member, _ parameters: PathParameters) -> RoutePattern? {
        var prefix = member.key[...]
        if prefix.hasSuffix("/**") { prefix = prefix.dropLast(3) }
        if prefix.hasSuffix("/") { prefix = prefix.dropLast() }
        guard !prefix.contains("*"), !prefix.contains("{") else {
            return member.refuseKey(
                "a prefix has no `*` and no `{name}`", hint: "write the path that comes first, such as `/orders`")
        }
        guard prefix.isEmpty ? member.key.hasPrefix("/") : prefix.hasPrefix("/") else {
            Self.reportNoPrefix(member)
            return nil
        }
        do {
            let path = try PathPattern(prefix + "/**")
            if path.hasParameters { parameters.judge(member, "no request gets here") }
            if let lookalikes = PatternLookalikes(in: member.path) {
                member.warnKey(
                    lookalikes.message,
                    hint: "write the path that comes first, such as `/orders`, or \(lookalikes.escaped) for the literal"
                )
            }
            return RoutePattern(methods: .any, path: path)
        } catch {
            return member.refuseKey(error.text)
        }
    }

    private static func reportNoPrefix(_ member: Value.Member) {
        guard FleetKeys.names.contains(member.key) else {
            return member.reportKey("a prefix begins with `/`", hint: "write `/\(member.key)`, below the place")
        }
        member.reportKey(
            "`upstream` is a mapping of path prefixes or of a fleet's keys, and not of both",
            hint: "write {targets: [URL], \(member.key): …}, or below a prefix {/: {targets: [URL], \(member.key): …}}")
    }

    /// Warns of rules whose requests no prefix covers; they would be answered 404.
    private static func warnOfUncovered(_ rules: ResourceRules?, _ routes: [RoutePattern]) {
        guard !routes.isEmpty else { return }
        let prefixes = routes.map { segments(of: $0.path).dropLast() }
        for rule in rules?.rules ?? [] where !prefixes.contains(where: segments(of: rule.route.path).starts(with:)) {
            rule.member.warnKey(
                "no upstream takes all requests of this rule", hint: "add `/` to `upstream`, or the prefix of this path"
            )
        }
    }

    /// Segments of a path in canonical spelling, in which characters that look like wildcards are escaped.
    private static func segments(of path: PathPattern) -> [Substring] {
        path.description.split(separator: "/")
    }

    // MARK: URLs

    /// Reports TLS settings that no upstream uses. Operators would believe that the connection is protected.
    private func reportUnused(_ value: Value) {
        guard !namesSecureTarget, !groups.isEmpty else { return }
        // `upstream_tls: false` asks for no TLS, so there is nothing to report.
        if case .scalar(let scalar) = value.node.content, scalar.text.isNegation { return }
        value.reportMissing(
            "no upstream of this resource uses TLS", hint: "write `https://` in `upstream`")
    }

    /// Reads an upstream group: a URL, a list of URLs, or the keys of a fleet. Nil after an error, which is reported.
    ///
    /// - Parameter prefix: prefix of the requests that go to the group.
    private mutating func group(_ value: Value, below prefix: String, _ host: String?) -> UpstreamGroup? {
        guard value.isMapping else {
            // A list of URLs is used in turn (round robin).
            return group(of: value, below: prefix, FleetSettings(), host)
        }
        guard let section = Section(value, of: FleetKeys.self) else { return nil }
        let settings = FleetReader.read(section, methods)
        guard let targets = section.required(\.targets), let settings,
            let group = group(of: targets, below: prefix, settings, host)
        else { return nil }
        guard Self.answers(group) else {
            section[\.health]?.report(
                "gRPC needs HTTP/2, and a target speaks HTTP/1.1", hint: "write `h2c://` or `https://` for each target")
            return nil
        }
        return group
    }

    /// True if all targets speak the protocol of their health check.
    private static func answers(_ group: UpstreamGroup) -> Bool {
        guard case .grpc? = group.fleet.health?.question else { return true }
        return group.targets.allSatisfy { $0.protocols != .http1 }
    }

    private mutating func group(of value: Value, below prefix: String, _ settings: FleetSettings, _ host: String?)
        -> UpstreamGroup?
    {
        guard let elements = value.someElements(of: "upstream", expected: "a URL or a list") else { return nil }
        if elements.count > FleetReader.mostTargets {
            value.report(
                "more than \(FleetReader.mostTargets) targets", hint: "put a separate load balancer in front of them")
        }
        var targets: [UpstreamTarget] = []
        var weights: [Int] = []
        var basePath: [UInt8]?
        for element in elements {
            guard let (url, weight, isEveryAddress) = Self.target(element),
                let (target, path) = upstream(url, isEveryAddress)
            else {
                continue
            }
            if let basePath, basePath != path {
                url.report(
                    "the upstreams of one list must have the same path",
                    hint: "write a mapping of prefixes for different ones")
            }
            if basePath == nil, !path.isEmpty {
                basePaths.append(BasePath(path: String(decoding: path, as: UTF8.self), prefix: prefix, value: url))
            }
            basePath = basePath ?? path
            targets.append(target)
            weights.append(weight)
            self.targets.append(ConfiguredTarget(target: target, place: url.filePlace))
        }
        guard targets.count == elements.count else { return nil }
        return UpstreamGroup(
            targets: targets, weights: weights, fleet: settings, basePath: basePath ?? [], hostOverride: host)
    }

    /// Reads a target: a URL, or a mapping with a URL and a weight. Nil after an error, which is reported.
    private static func target(_ value: Value) -> (url: Value, weight: Int, isEveryAddress: Bool)? {
        guard value.isMapping else { return (value, 1, false) }
        guard let section = Section(value, of: FleetTargetKeys.self) else { return nil }
        let weight = section.read(\.weight).value
        if let dns = section[\.dns] {
            section[\.url]?.reportMissing("a target has `url` or `dns`, and not both", hint: "keep one of them")
            return section[\.url] == nil ? weight.map { (dns, $0, true) } : nil
        }
        guard let url = section.required(\.url), let weight else { return nil }
        return (url, weight, false)
    }

    /// Reads the URL of a target. The second result is its base path. Nil after an error, which is reported.
    ///
    /// - Parameter isEveryAddress: true if each address of the URL's host name becomes a separate target.
    private mutating func upstream(_ value: Value, _ isEveryAddress: Bool) -> (UpstreamTarget, [UInt8])? {
        guard let text = value.someText(expected: "a URL such as `http://127.0.0.1:9000`") else { return nil }
        if let fault = Self.fault(in: text) { return value.refuse(fault) }
        if !isEveryAddress, let socket = Self.socket(text) { return Self.target(of: socket, value).map { ($0, []) } }
        // An `h2c` URL differs from an `http` one only in the protocol.
        let isPriorKnowledge = text.lowercased().hasPrefix("h2c:")
        guard let url = HTTPURL(isPriorKnowledge ? "http" + text.dropFirst(3) : text) else {
            return value.refuse("`\(text)` is not a URL of an upstream", hint: Self.hint(for: text))
        }
        guard let path = Self.path(url.target, value) else { return nil }
        BasePath.warnOfVariables(in: url.target, value)
        guard !isEveryAddress || IPAddress(url.host) == nil else {
            return value.refuse("`\(url.host)` is an address, and has no others", hint: "write it as a `url`")
        }
        func target(_ security: TargetSecurity?, _ protocols: ListenerProtocols) -> (UpstreamTarget, [UInt8]) {
            let target = UpstreamTarget(
                host: url.host, port: url.port, security: security, protocols: protocols,
                isEveryAddress: isEveryAddress)
            return (target, path)
        }
        guard url.scheme == .https else { return target(nil, isPriorKnowledge ? .http2 : .http1) }
        namesSecureTarget = true
        return security.map { target($0, $0.protocols) }
    }

    /// Protocol and path of a Unix socket's URL. Nil for a URL of another scheme.
    private static func socket(_ text: String) -> (protocols: ListenerProtocols, path: Substring)? {
        let schemes: [(String, ListenerProtocols)] = [("http+unix://", .http1), ("h2c+unix://", .http2)]
        for (scheme, protocols) in schemes where text.lowercased().hasPrefix(scheme) {
            return (protocols, text.dropFirst(scheme.count))
        }
        return nil
    }

    /// Makes the target of a Unix socket. The whole path is the socket's, and is used as it is written. Nil after an
    /// error, which is reported.
    private static func target(of socket: (protocols: ListenerProtocols, path: Substring), _ value: Value)
        -> UpstreamTarget?
    {
        guard socket.path.hasPrefix("/"), socket.path.utf8.count > 1,
            socket.path.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else {
            return value.refuse(
                "`\(socket.path)` is not the absolute path of a socket", hint: "write `http+unix:///run/shop.sock`")
        }
        guard socket.path.utf8.count <= UpstreamTarget.longestSocketPath else {
            return value.refuse(
                "a socket's path has at most \(UpstreamTarget.longestSocketPath) bytes, this one has \(socket.path.utf8.count)"
            )
        }
        return UpstreamTarget(socketPath: String(socket.path), protocols: socket.protocols)
    }

    /// Problem of a URL with parts that are not permitted here. Nil if there is none.
    private static func fault(in text: String) -> ProblemText? {
        guard let scheme = text.firstRange(of: "://") else {
            return ProblemText("`\(text)` has no scheme", hint: hint(for: text))
        }
        switch text[..<scheme.lowerBound].lowercased() {
        case "http", "https", "h2c", "http+unix", "h2c+unix": break
        default:
            return ProblemText("`\(text[..<scheme.lowerBound])` is not a scheme of upstreams", hint: hint(for: text))
        }
        let authority = text[scheme.upperBound...].prefix { !"/?#".contains($0) }
        if authority.contains("@") { return ProblemText("an upstream's URL has no user name and no password") }
        if text.contains("?") { return ProblemText("an upstream's URL has no query") }
        return text.contains("#") ? ProblemText("an upstream's URL has no fragment") : nil
    }

    private static func hint(for text: String) -> String {
        UpstreamSlip.url(meantBy: text).map { "write `\($0)`" } ?? example
    }

    /// Path in canonical form, without a slash at its end. Nil if it is not a valid path, which is reported.
    private static func path(_ target: String, _ value: Value) -> [UInt8]? {
        var path = RequestPath()
        do {
            try path.canonicalize(Array(target.utf8).span)
        } catch {
            return value.refuse(error.text)
        }
        guard !path.hasParameters else { return value.refuse("an upstream's path has no `;`") }
        return path.segmentCount == 0
            ? [] : path.canonical.last == UInt8(ascii: "/") ? path.canonical.dropLast() : path.canonical
    }

    /// Reads a value for `Host`: a host, optionally with a port. Nil after an error, which is reported.
    static func host(_ value: Value) -> String? {
        guard let text = value.someText(expected: "a host such as `api.internal`") else { return nil }
        guard let url = HTTPURL("http://" + text), url.authority == text else {
            return value.refuse("`\(text)` is not a host", hint: "write `name` or `name:port`")
        }
        return text
    }
}
