import PolicyOracle

extension PolicyGenerator {
    static let scopes = ["r", "w", "z", "orders:*"]
    static let roles = ["m", "n", "m n"]
    static let clients = ["c1", "c2", "7"]
    static let organizations = ["acme", "a", "other"]
    static let contextClasses = ["gold", "platinum"]

    /// - Parameter depth: maximum nesting of lists of alternatives.
    mutating func requirement(depth: Int, policies: Bool) -> Requirement {
        switch Int.random(in: 0..<9, using: &self) {
        case 0:
            note("authenticated")
            return .authenticated
        case 1, 2:
            note("scopes")
            return .scopes(some(Self.scopes))
        case 3 where policies:
            note("policy")
            return .mapping(once(in: 2) ? parts(depth: depth) : [], policy: "named")
        default:
            note("mapping")
            return .mapping(parts(depth: depth))
        }
    }

    /// Parts of a mapping, each with a different key.
    mutating func parts(depth: Int, isOfIssuer: Bool = false) -> [Part] {
        var parts: [String: Part] = [:]
        for _ in 0..<pick([1, 1, 2, 2, 3]) {
            let (key, part) = part(depth, isOfIssuer: isOfIssuer)
            parts[key] = part
        }
        return parts.sorted { $0.key < $1.key }.map(\.value)
    }

    private mutating func part(_ depth: Int, isOfIssuer: Bool) -> (String, Part) {
        let keys =
            ["all_of", "text", "roles", "claims", "not", "absent", "clients", "organization", "acr", "max_age"]
            + ["claims", "any_of scopes"] + (depth > 0 ? ["any_of mappings", "any_of mappings"] : [])
            + (isOfIssuer ? [] : ["issuer"])
        let key = pick(keys)
        note(key)
        switch key {
        case "all_of": return (key, .allOf(some(Self.scopes)))
        case "any_of scopes": return ("any_of", .anyOf(some(Self.scopes).map { .scope($0) }))
        case "any_of mappings":
            if depth == 1 { note("any_of within any_of") }
            return (
                "any_of",
                .anyOf(
                    (0..<pick([2, 2, 3])).map { _ in
                        alternative(depth: depth - 1, isOfIssuer: isOfIssuer)
                    })
            )
        case "text": return (key, .text(some(Self.scopes, most: 1)))
        case "roles": return (key, .roles(some(Self.roles)))
        case "claims": return (key, .claims(demands()))
        case "not": return (key, .not(demands()))
        case "absent":
            return (
                key,
                .absent(
                    some(["act", "act.sub", "act.sub.id", "dep", "/dep.x", "/grants/*/role", "/grants/*"]).map {
                        ClaimPath($0)
                    })
            )
        case "issuer": return (key, .issuer(some(["company", "partner"])))
        case "clients": return (key, .clients(some(Self.clients)))
        case "organization": return (key, .organization(some(Self.organizations)))
        case "acr": return (key, .acr(some(Self.contextClasses)))
        default: return ("max_age", .maxAge(pick([0, 300, 900])))
        }
    }

    mutating func alternative(depth: Int, isOfIssuer: Bool = false) -> Alternative {
        if once(in: 3) { return .scope(pick(Self.scopes)) }
        return .mapping(parts(depth: depth, isOfIssuer: isOfIssuer))
    }

    // MARK: Claims

    private mutating func demands() -> [ClaimDemand] {
        var paths: Set<String> = []
        return (0..<pick([1, 1, 2])).map { _ in demand() }.filter { paths.insert($0.path.text).inserted }
    }

    private mutating func demand() -> ClaimDemand {
        if chance(7, "claim of elements") {
            return ClaimDemand(
                pick(["/grants/*/role", "grants.*.role", "/grants/*/in/*"]), some([.text("gold"), .text("silver")]))
        }
        switch Int.random(in: 0..<8, using: &self) {
        case 0:
            note("nested claim")
            return ClaimDemand("realm.level", some([.text("gold"), .text("silver"), .integer(3)]))
        case 1:
            note("pointer")
            return ClaimDemand(pick(["/realm/level", "/dep.x"]), some([.text("gold"), .boolean(true)]))
        case 2:
            note("identifier claim")
            return ClaimDemand("sub", [pick([.integer(42), .text("42"), .text("s-1")])])
        case 3, 4:
            note("pattern")
            return ClaimDemand("repo", some(Self.patterns + [.text("acme/site")]))
        case 5:
            note("number value")
            return ClaimDemand("level", some([.integer(3), .integer(4), .number("3.5"), .integer(0), .boolean(true)]))
        case 6:
            note("boolean value")
            return ClaimDemand("ok", [pick([.boolean(true), .boolean(false)])])
        default:
            note("text value")
            return ClaimDemand(
                pick(["dep", "dep", "type"]), some([.text("sales"), .text("guest"), .text("acme/*")]))
        }
    }

    private static let patterns: [ClaimDemand.Value] = [
        "acme/*", "acme/**", "*/site", "*@example.com", "repo:acme/*:ref:refs/heads/**", #"a\*c*"#, #"b\\*"#, "a*a*a",
    ].map { .pattern(ClaimPattern($0)) }
}
