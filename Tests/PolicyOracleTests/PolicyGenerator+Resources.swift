import PolicyOracle

extension PolicyGenerator {
    mutating func resource(_ number: Int, _ places: [String], _ policy: Policy) -> Resource {
        let issuers = policy.issuers
        let accepted = Array(issuers.prefix(pick([1, 2, 2, 3])))
        var resource = Resource("api-\(number)", at: places, issuers: accepted.map(\.name), rules: [])
        if let place = places.first, places.count == 1, place.hasPrefix("api."), chance(2, "identifier as place") {
            resource.identifier = "https://\(place)"
            resource.at = []
        }
        for place in places { notePlace(place) }
        if chance(3, "audiences of all") {
            resource.audiences = .ofAll(some(["orders", "second", "https://orders.example"]))
        } else if chance(4, "audiences of each") {
            resource.audiences = .ofEach(
                Dictionary(uniqueKeysWithValues: accepted.map { ($0.name, some(["orders", "second", $0.name])) }))
        }
        if chance(5, "path_parameters") { resource.keepsPathParameters = true }
        if chance(4, "encoded_slashes") { resource.encodedSlashes = pick([.keep, .opaque]) }
        if places.count == 1, chance(6, "token_header") {
            let others: [Resource.TokenHeader.Other] =
                chance(2, "token_header list") ? pick([[.other], [.authorization], [.other, .authorization]]) : []
            resource.tokenHeader = Resource.TokenHeader(prefix: pick([nil, "", "Bearer "]), others: others)
            if !others.contains(.authorization), chance(2, "authorization passed") {
                resource.passesAuthorization = true
            }
        }
        if chance(5, "require of resource") { resource.require = requirement(depth: 1, policies: true) }
        resource.mode = mode(6)
        resource.maintenance = maintenance(12, "maintenance of resource")
        let isPublicAllowed = resource.require == nil && accepted.allSatisfy(\.require.isEmpty)
        for _ in 0..<pick([1, 2, 3, 4, 6]) {
            let route = route(policy.methods, number)
            guard !resource.rules.contains(where: { Self.isSame($0.route, route) }) else { continue }
            let access = access(route, isPublicAllowed: isPublicAllowed)
            var rule = Rule(route.text, access, mode: access == .everyone ? nil : mode(8))
            rule.maintenance = maintenance(12, "maintenance of rule")
            resource.rules.append(rule)
        }
        resource.scopes = implications(resource, policy)
        return resource
    }

    /// Scopes that imply scopes which a rule or the resource requires.
    private mutating func implications(_ resource: Resource, _ policy: Policy) -> [String: [String]] {
        let requirements = resource.rules.compactMap(\.access.requirement) + (resource.require.map { [$0] } ?? [])
        let asked = Set(requirements.flatMap { $0.parts(policy.policies) }.flatMap(\.scopes))
        let drawn = pick([
            ["w": ["r"]], ["z": ["w"], "w": ["r"]], ["z": ["r", "orders:*"]], ["x": ["z"], "z": ["w"], "w": ["r"]],
        ])
        let possible = drawn.mapValues { $0.filter(asked.contains) }.filter { !$0.value.isEmpty }
        return !possible.isEmpty && chance(2, "implied scopes") ? possible : [:]
    }

    private mutating func notePlace(_ place: String) {
        if place.hasPrefix("api.") { note("host") }
        if place.hasPrefix("*.") { note("wildcard host") }
        if place.contains(":") { note("port") }
    }

    private mutating func mode(_ times: Int) -> Mode? {
        guard once(in: times) else { return nil }
        if chance(3, "enforce") { return .enforce }
        note("observe")
        return pick([
            .observe(until: "2026-01-02", seconds: Self.now + 86_400),
            .observe(until: "2026-01-01T00:00:01Z", seconds: Self.now + 1),
            .observe(until: "2026-01-01T00:00:00Z", seconds: Self.now),
            .observe(until: "2025-12-31", seconds: Self.now - 86_400),
        ])
    }

    private mutating func maintenance(_ times: Int, _ form: String) -> Maintenance? {
        guard chance(times, form) else { return nil }
        return pick([
            Maintenance(), Maintenance(until: "2026-01-02", end: Self.now + 86_400),
            Maintenance(until: "2026-01-01T00:00:01Z", end: Self.now + 1),
            Maintenance(until: "2026-01-01T00:00:00Z", end: Self.now),
            Maintenance(until: "2025-12-31", end: Self.now - 86_400),
        ])
    }

    // MARK: Rules

    private static let literals = ["a", "b", "open", "é", "x%7Cy"]

    /// True for two rules with the same matches and precedence, or of which one has a method of the other.
    private static func isSame(_ one: Route, _ other: Route) -> Bool {
        one.segments == other.segments && one.hasFinalSlash == other.hasFinalSlash
            && !Set(one.methods).isDisjoint(with: other.methods)
    }

    /// Text beside a wildcard. One resource has only beginnings, another only ends: a file with both would be refused.
    private static let parts = [
        ["v*", "v{}", "v1*", "a*"], ["{}:cancel", "*:cancel", "Items({})", "*.css", "*.x.css"],
    ]

    private mutating func route(_ ownMethods: [String], _ number: Int) -> Route {
        var segments: [String] = []
        for index in 0..<pick([0, 1, 1, 2, 2, 3]) {
            let name = ["one", "two", "three"][index]
            if chance(3, "parameter") {
                segments.append("{\(name)}")
            } else if chance(4, "text beside a wildcard") {
                segments.append(pick(Self.parts[number % 2]).replacing("{}", with: "{\(name)}"))
            } else {
                note("literal")
                segments.append(pick(Self.literals))
            }
        }
        var path = "/" + segments.joined(separator: "/")
        if chance(6, "wildcard") {
            path += segments.isEmpty ? "*" : "/*"
        } else if chance(3, "rest") {
            path += segments.isEmpty ? "**" : "/**"
            if chance(2, "segments behind rest") { path += pick(["/healthz", "/a", "/b/a", "/a/", "/é/b/a"]) }
        } else if !segments.isEmpty, chance(6, "final slash") {
            path += "/"
        }
        return Route("\(methods(ownMethods)) \(path)")
    }

    private mutating func methods(_ own: [String]) -> String {
        if chance(4, "ANY") { return "ANY" }
        if chance(5, "several methods") { return "GET,POST" }
        return pick(["GET", "GET", "POST", "HEAD", "DELETE", "OPTIONS"] + own)
    }

    private mutating func access(_ route: Route, isPublicAllowed: Bool) -> Access {
        // A file that opens a path by its end is refused if a stricter rule covers the rest.
        let isOpened = !route.hasRemovableEnd
        if isPublicAllowed, isOpened, chance(14, "public") { return .everyone }
        if isOpened, chance(10, "optional") { return .optional(requirement(depth: 1, policies: true)) }
        let names = route.segments.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
        if !names.isEmpty, chance(3, "organization in path") {
            let own = Part.organizationInPath(pick(names))
            if once(in: 3) {
                return .needing(.mapping([.anyOf([.mapping([own]), alternative(depth: 0)])]))
            }
            return .needing(.mapping([own] + parts(depth: 0).filter { !$0.isOrganization }))
        }
        return .needing(requirement(depth: 2, policies: true))
    }
}

extension Route {
    /// True if the path ends with text after a wildcard or with segments behind `**`.
    fileprivate var hasRemovableEnd: Bool {
        if segments.contains(.rest), segments.last != .rest { return true }
        if case .partial(_, let after, _)? = segments.last(where: { $0 != .rest }) { return !after.isEmpty }
        return false
    }
}

extension Part {
    /// Every scope that the requirement names.
    fileprivate var scopes: [String] {
        switch self {
        case .allOf(let scopes), .text(let scopes): scopes
        case .anyOf(let alternatives): alternatives.flatMap(\.parts).flatMap(\.scopes)
        case .roles, .claims, .not, .absent, .issuer, .clients, .organization, .organizationInPath, .acr, .maxAge: []
        }
    }

    fileprivate var isOrganization: Bool { if case .organization = self { true } else { false } }
}
