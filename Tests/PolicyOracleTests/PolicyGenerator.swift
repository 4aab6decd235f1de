import PolicyOracle
import TestSupport

/// Generates policies over the whole language, and requests near their limits.
struct PolicyGenerator: RandomNumberGenerator {
    static let now = 1_767_225_600

    private var generator: SeededGenerator
    /// Number of times each form was generated.
    private(set) var drawn: [String: Int] = [:]

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    mutating func next() -> UInt64 { generator.next() }

    mutating func pick<Element>(_ elements: [Element]) -> Element { generator.pick(elements) }

    mutating func once(in times: Int) -> Bool { generator.once(in: times) }

    mutating func note(_ form: String) { drawn[form, default: 0] += 1 }

    /// True once in this many times; then the form is counted.
    mutating func chance(_ times: Int, _ form: String) -> Bool {
        guard once(in: times) else { return false }
        note(form)
        return true
    }

    /// Some of the elements in their order, at least one.
    mutating func some<Element>(_ elements: [Element], most: Int = 2) -> [Element] {
        let count = Int.random(in: 1...min(most, elements.count), using: &self)
        let chosen = elements.indices.shuffled(using: &self).prefix(count).sorted()
        return chosen.map { elements[$0] }
    }

    /// Every form that a policy can have.
    static let allForms: Set<String> = [
        "authenticated", "scopes", "mapping", "public", "optional", "policy", "observe", "enforce", "own methods",
        "maintenance of resource", "maintenance of rule",
        "all_of", "any_of scopes", "any_of mappings", "any_of within any_of", "text", "roles", "claims", "not",
        "absent", "issuer", "clients", "organization", "organization in path", "acr", "max_age", "text value",
        "number value", "boolean value", "pattern", "nested claim", "claim of elements", "pointer", "identifier claim",
        "token_type any", "token_type at+jwt", "token_type claim", "algorithms", "leeway", "max_lifetime",
        "denied_keys", "allow_missing_kid", "scope_claims", "scope_separator", "subject_claims",
        "role_claims", "client_claims", "clients of issuer", "realms",
        "without_audience", "require of issuer", "require of resource", "implied scopes", "audiences of all",
        "audiences of each",
        "identifier as place", "host", "wildcard host", "port", "path_parameters", "encoded_slashes", "token_header",
        "token_header list", "authorization passed", "literal", "parameter", "wildcard",
        "text beside a wildcard", "rest", "segments behind rest", "final slash", "ANY", "several methods",
    ]

    // MARK: A file

    mutating func policy() -> Policy {
        let issuers = (["company", "partner"] + pick([[], ["third"]])).map { issuer($0) }
        var policy = Policy(issuers: issuers, resources: [])
        if chance(6, "own methods") { policy.methods = ["PURGE"] }
        policy.policies = ["named": requirement(depth: 1, policies: false)]
        var places = Self.places.shuffled(using: &self)
        for number in 0..<pick([1, 2, 2, 3]) {
            let own = places.prefix(pick([1, 1, 2]))
            places.removeFirst(own.count)
            policy.resources.append(resource(number, Array(own), policy))
        }
        return policy
    }

    private static let places = [
        "/", "/orders", "/orders/deep", "/a", "api.example.com", "api.example.com/orders", "api.example.com/orders/a",
        "api.example.com:8443/orders", "*.example.com", "*.example.com/orders", "*.example.com:8443/orders",
    ]

    // MARK: An issuer

    private mutating func issuer(_ name: String) -> Issuer {
        var issuer = Issuer(name, "https://\(name).example", tokenType())
        if chance(4, "realms") {
            issuer.identifier += pick(["/{realm}", "/realms/{realm}", "/{realm}/v2"])
            issuer.realms = pick([.listed(["acme", "b.1"]), .listed(["acme"]), .glob("cust-*"), .glob("*e")])
        }
        if chance(6, "algorithms") { issuer.algorithms = pick([["ES256"], ["RS256", "PS256"]]) }
        if chance(3, "leeway") { issuer.leeway = pick([0, 10, 300]) }
        if chance(6, "max_lifetime") { issuer.maxLifetime = pick([600, 7200]) }
        if chance(8, "denied_keys") { issuer.deniedKeys = ["bad"] }
        if chance(8, "allow_missing_kid") { issuer.allowsMissingKeyID = true }
        if chance(4, "scope_claims") {
            issuer.scopeClaims = pick([["scp"], ["scp", "scope"], ["permissions", "scope"], ["realm.scopes"]])
        }
        if chance(4, "scope_separator") { issuer.scopeSeparator = pick([",", ";", "|", " "]) }
        if chance(6, "subject_claims") { issuer.subjectClaims = pick([["user_id"], ["user_id", "sub"], ["who.id"]]) }
        if chance(4, "role_claims") {
            issuer.roleClaims = pick([["realm.roles"], ["roles", "realm.roles"], ["/grants/*/role"]])
        }
        if chance(5, "client_claims") { issuer.clientClaims = pick([["azp"], ["app", "client_id"]]) }
        if chance(7, "clients of issuer") { issuer.clients = some(Self.clients) }
        if issuer.tokenType != .any, chance(3, "without_audience") {
            issuer.clientsWithoutAudience = some(Self.clients)
        }
        if chance(4, "require of issuer") { issuer.require = parts(depth: 1, isOfIssuer: true) }
        return issuer
    }

    private mutating func tokenType() -> Issuer.TokenType {
        switch Int.random(in: 0..<4, using: &self) {
        case 0:
            note("token_type at+jwt")
            return .accessTokenJWT
        case 1:
            note("token_type claim")
            return pick([
                .claim("typ", [.text("B"), .text("C")]), .claim("use.kind", [.boolean(true)]),
                .claim("kind", [.integer(3)]),
            ])
        default:
            note("token_type any")
            return .any
        }
    }
}
