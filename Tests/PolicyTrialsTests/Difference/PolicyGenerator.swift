import TestSupport

/// Generates pairs of small files: the second is the first with some parts generated anew, or a completely different
/// one.
///
/// A pair varies only a few claims, so that all relevant tokens can be tried. These claims are chosen first.
struct PolicyGenerator {
    /// Topic in which the tokens of a pair differ.
    enum Topic: String, CaseIterable, Hashable {
        case scope, roles, claim, absent, client, organization, contextClass, signIn, times, header, tokenType,
            audience, subject, realm
    }

    private(set) var generator: SeededGenerator
    /// Number of times each form was generated in compared files.
    private(set) var drawn: [String: Int] = [:]
    private var forms: [String] = []
    private(set) var topics: [Topic] = []
    private var hasPartner = false
    private var hasHosts = false

    /// Every form that exists.
    static let allForms: Set<String> = [
        "authenticated", "public", "optional", "policy", "scopes", "all_of", "any_of scopes", "any_of requirements",
        "roles",
        "claims value", "claims glob", "claims value and glob", "claims number", "claims of elements", "not value",
        "not glob", "absent",
        "clients",
        "organization", "organization in path", "acr", "max_age", "issuer", "two requirements", "require of resource",
        "require of issuer", "issuer clients", "leeway", "max_lifetime", "algorithms", "denied_keys", "token_type",
        "audiences", "without_audience", "realms",
        "two issuers", "two resources", "host", "wildcard host", "port", "parameter", "wildcard", "rest", "final slash",
        "text beside a wildcard", "segments behind rest",
        "ANY",
        "methods", "upstream by path", "strip_prefix", "upstream_host", "authorization kept", "identity", "claim field",
        "only",
        "path_parameters", "encoded_slashes", "token_header", "token_header list", "authorization passed",
        "scopes implied", "scope_claims", "scope_separator", "subject_claims",
        "observed resource", "observed rule", "maintenance of resource", "maintenance of rule",
    ]

    /// Topics, with those repeated that have more forms.
    private static let weightedTopics = Topic.allCases + [.scope, .scope, .organization, .organization, .claim]

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    /// Generates two files.
    mutating func pair() -> (old: RandomPolicy, new: RandomPolicy) {
        forms = []
        topics = [generator.pick(Self.weightedTopics)]
        while topics.count < 2 { topics = Array(Set(topics + [generator.pick(Self.weightedTopics)])) }
        topics.sort { $0.rawValue < $1.rawValue }
        hasPartner = generator.once(in: 5)
        hasHosts = generator.once(in: 4)
        let old = policy()
        return (old, generator.once(in: 6) ? policy() : changed(old))
    }

    /// Counts the forms of the last pair.
    mutating func count() {
        for form in Set(forms) { drawn[form, default: 0] += 1 }
    }

    private mutating func note(_ form: String) { forms.append(form) }

    private mutating func chance(_ times: Int, _ form: String) -> Bool {
        guard generator.once(in: times) else { return false }
        note(form)
        return true
    }

    // MARK: A file

    private mutating func policy() -> RandomPolicy {
        var issuers = ["company": issuer("https://id.example")]
        if hasPartner {
            note("two issuers")
            issuers["partner"] = issuer("https://partner.example")
        }
        var resources = [resource("orders", "p")]
        if chance(5, "two resources") { resources.append(resource("other", generator.pick(["p/a", "q"]))) }
        return RandomPolicy(issuers: issuers, policy: mapping(0), resources: resources)
    }

    private mutating func changed(_ policy: RandomPolicy) -> RandomPolicy {
        var policy = policy
        for _ in 0..<generator.pick([1, 1, 2]) {
            switch Int.random(in: 0..<10, using: &generator) {
            case 0: policy.issuers["company"] = issuer("https://id.example")
            case 1: policy.policy = mapping(0)
            case 2, 3:
                let keys = resource(policy.resources[0].name, "p").keys
                policy.resources[0].keys = generator.once(in: 2) ? keys : mixed(policy.resources[0].keys, keys)
            case 4:
                let route = route()
                policy.resources[0].rules[route] = requirement(route)
            case 5:
                let names = policy.resources[0].rules.keys.sorted()
                if names.count > 1 { policy.resources[0].rules[generator.pick(names)] = nil }
            default:
                let route = generator.pick(policy.resources[0].rules.keys.sorted())
                policy.resources[0].rules[route] = requirement(route)
            }
        }
        return policy
    }

    /// The keys with one value taken from the other.
    private mutating func mixed(_ old: [String: String], _ new: [String: String]) -> [String: String] {
        var mixed = old
        let key = generator.pick(Set(old.keys).union(new.keys).subtracting(["at"]).sorted())
        mixed[key] = new[key]
        return mixed
    }

    // MARK: An issuer

    private mutating func issuer(_ identifier: String) -> String {
        var keys = ["issuer: \"\(identifier)\""]
        if topics.contains(.realm), identifier == "https://id.example", !generator.once(in: 5) {
            note("realms")
            let realms = generator.pick([
                "[a]", "[a, b]", "[ab, b]", "{glob: \"a*\"}", "{glob: \"*b\"}", "{glob: \"a*b\"}",
            ])
            keys = ["issuer: \"\(identifier)/{realm}\"", "realms: \(realms)"]
        } else if topics.contains(.realm), identifier == "https://id.example" {
            keys = ["issuer: \"\(identifier)/ab\""]
        }
        if topics.contains(.tokenType) {
            note("token_type")
            keys.append(
                "token_type: \(generator.pick(["{claim: typ, value: [B, C]}", "{claim: typ, value: B}", "at+jwt"]))")
        } else if topics.contains(.audience), !generator.once(in: 4) {
            note("without_audience")
            keys.append("token_type: at+jwt")
            keys.append("without_audience: {clients: \(generator.pick(["[c1]", "[c1, c2]"]))}")
        } else {
            keys.append("token_type: any")
        }
        if topics.contains(.times) {
            if chance(2, "leeway") { keys.append("leeway: \(generator.pick(["0s", "10s", "60s"]))") }
            if chance(2, "max_lifetime") { keys.append("max_lifetime: \(generator.pick(["10m", "2h"]))") }
        }
        if topics.contains(.header) {
            if chance(2, "algorithms") {
                keys.append("algorithms: \(generator.pick(["[ES256]", "[RS256]", "[PS256, RS256]"]))")
            }
            if chance(2, "denied_keys") { keys.append("denied_keys: \(generator.pick(["[bad]", "[bad, worse]"]))") }
        }
        if topics.contains(.client), chance(2, "issuer clients") {
            keys.append("clients: \(generator.pick(["[c1]", "[c1, c2]"]))")
        }
        if topics.contains(.scope), chance(2, "scope_claims") {
            keys.append("scope_claims: \(generator.pick(["[scp]", "[scp, scope]"]))")
        }
        if topics.contains(.scope), chance(2, "scope_separator") {
            keys.append("scope_separator: \(generator.pick(["\",\"", "\"|\""]))")
        }
        if topics.contains(.subject), !generator.once(in: 4) {
            note("subject_claims")
            keys.append("subject_claims: \(generator.pick(["[user_id]", "[user_id, sub]"]))")
        }
        if chance(6, "require of issuer") { keys.append("require: \(mapping(0))") }
        return keys.joined(separator: ", ")
    }

    // MARK: A resource

    private mutating func resource(_ name: String, _ path: String) -> RandomPolicy.Resource {
        var keys = ["at": "[\(at(path).joined(separator: ", "))]"]
        keys["issuers"] = hasPartner ? generator.pick(["[company]", "[company, partner]"]) : "[company]"
        keys["audiences"] = "[orders]"
        if topics.contains(.audience) {
            note("audiences")
            keys["audiences"] = generator.pick(["[orders]", "[orders, second]", "[second]"])
        }
        keys["upstream"] = upstream()
        if chance(5, "strip_prefix") { keys["strip_prefix"] = "true" }
        if chance(6, "upstream_host") { keys["upstream_host"] = generator.pick(["one.internal", "two.internal"]) }
        if chance(8, "path_parameters") { keys["path_parameters"] = "keep" }
        if chance(8, "encoded_slashes") { keys["encoded_slashes"] = "keep" }
        if chance(6, "require of resource") { keys["require"] = mapping(0) }
        if topics.contains(.scope), chance(2, "scopes implied") {
            keys["scopes"] = generator.pick(["{w: {implies: [r]}}", "{z: {implies: [r, w]}}"])
        }
        if !keys["at", default: ""].contains(","), chance(5, "token_header") {
            let isList = chance(2, "token_header list")
            keys["token_header"] =
                isList
                ? generator.pick([
                    "[X-Token, X-Other]", "[X-Other, X-Token]", "[X-Token, Authorization]", "[Authorization, X-Other]",
                    "[X-Other, {name: X-Token}, Authorization]",
                ]) : "{name: X-Token}"
        }
        if chance(6, "observed resource") { keys["mode"] = Self.observed }
        if chance(7, "maintenance of resource") { keys["maintenance"] = maintenance() }
        let mayPass = keys["token_header"].map { !$0.contains("Authorization") } ?? false
        keys["forward"] = forward(mayPass: mayPass)
        var rules: [String: String] = [:]
        for _ in 0..<generator.pick([1, 2, 2, 3]) {
            let route = route()
            rules[route] = requirement(route)
        }
        return RandomPolicy.Resource(name: name, keys: keys, rules: rules)
    }

    private mutating func at(_ path: String) -> [String] {
        guard hasHosts else { return ["/\(path)"] }
        switch Int.random(in: 0..<4, using: &generator) {
        case 0:
            note("host")
            return ["h.example/\(path)"]
        case 1:
            note("wildcard host")
            return ["\"*.example/\(path)\""]
        case 2:
            note("port")
            return ["h.example:8443/\(path)", "/\(path)"]
        default: return ["/\(path)"]
        }
    }

    private mutating func upstream() -> String {
        guard chance(5, "upstream by path") else {
            return generator.pick(["http://127.0.0.1:9000", "http://127.0.0.1:9001"])
        }
        return generator.pick([
            "{/: \"http://127.0.0.1:9000\", /a: \"http://127.0.0.1:9001\"}",
            "{/: \"http://127.0.0.1:9000\", /a/b: \"http://127.0.0.1:9001\"}",
        ])
    }

    private mutating func forward(mayPass: Bool) -> String {
        var keys: [String] = []
        if mayPass, !generator.once(in: 3) {
            note("authorization passed")
            keys.append("authorization: pass")
        } else if chance(5, "authorization kept") {
            keys.append("authorization: keep")
        }
        if chance(3, "identity") {
            let identity = generator.pick(
                [
                    "{subject: X-One}", "{scopes: X-One}", "{client: X-One, subject: X-Two}", "{roles: X-Two}",
                    "{organization: X-One}",
                ] + (topics.contains(.realm) ? ["{tenant: X-One}", "{tenant: X-Two, issuer: X-One}"] : []))
            keys.append("identity: \(identity)")
        }
        if topics.contains(.roles), chance(3, "claim field") {
            keys.append("claims: {roles: \(generator.pick(["X-Two", "X-Three"]))}")
        } else if topics.contains(.scope), chance(4, "claim field") {
            keys.append("claims: {scope: \(generator.pick(["X-One", "X-Three"]))}")
        } else if topics.contains(.claim) {
            if chance(3, "claim field") {
                keys.append("claims: {dept: X-Dept}")
            } else if chance(2, "only") {
                keys.append(
                    "claims: {dept: {field: X-Dept, only: \(generator.pick(["[k]", "[k, l]", "{glob: \"ab/*\"}"]))}}")
            }
        }
        return "{\(keys.joined(separator: ", "))}"
    }

    // MARK: A rule

    private static let namedPaths = ["/{id}", "/a/{id}", "/{id}/b"]
    private static let paths =
        ["/", "/a", "/a/b", "/a/c", "/b", "/*", "/a/*", "/**", "/a/**", "/a/", "/b/"] + namedPaths
        + ["/{id}:x", "/a/*:x", "/*b:x", "/v*", "/v*/b", "/**/h", "/a/**/h", "/**/b/h"]

    private mutating func route() -> String {
        let methods = generator.pick(["GET", "GET", "POST", "GET,POST", "ANY"])
        if methods == "ANY" { note("ANY") }
        if methods.contains(",") { note("methods") }
        let named = topics.contains(.organization) && generator.once(in: 2)
        let path = generator.pick(named ? Self.namedPaths : Self.paths)
        if path.contains("{") { note("parameter") }
        if path.hasSuffix("/*") { note("wildcard") }
        if path.hasSuffix("/**") { note("rest") }
        if path.contains(":x") || path.contains("/v*") { note("text beside a wildcard") }
        if path.hasSuffix("h") { note("segments behind rest") }
        if path.count > 1, path.hasSuffix("/") { note("final slash") }
        return "\(methods) \(path)"
    }

    private mutating func requirement(_ route: String) -> String {
        switch Int.random(in: 0..<16, using: &generator) {
        case 0:
            note("public")
            return "{public: true}"
        case 1:
            note("authenticated")
            return "authenticated"
        case 2:
            note("optional")
            return "{optional: \(generator.once(in: 3) ? "authenticated" : mapping(0))}"
        case 3:
            note("policy")
            return "{policy: named}"
        default: break
        }
        if topics.contains(.scope), generator.once(in: 4) {
            note("scopes")
            return generator.pick(["r", "w", "r w"])
        }
        if topics.contains(.organization), route.contains("{id}"), !route.contains(":x"), generator.once(in: 2) {
            note("organization in path")
            return "{organization: \"{id}\"}"
        }
        var mapping = mapping(1)
        if chance(7, "maintenance of rule") { mapping = "\(mapping.dropLast()), maintenance: \(maintenance())}" }
        guard chance(5, "observed rule") else { return mapping }
        return "\(mapping.dropLast()), mode: \(generator.once(in: 3) ? "enforce" : Self.observed)}"
    }

    /// A maintenance that is ongoing when requests are judged, or over.
    private mutating func maintenance() -> String {
        generator.pick(["{}", "{until: 2026-12-24}", "{until: 2025-12-24}", "{until: 2026-01-01T00:00:00Z}"])
    }

    private static let observed = "{observe: {until: 2026-12-24}}"

    /// - Parameter depth: maximum nesting of alternatives.
    private mutating func mapping(_ depth: Int) -> String {
        if depth > 0, generator.once(in: 4) {
            note("any_of requirements")
            return "{any_of: [\(mapping(0)), \(mapping(0))]}"
        }
        let first = part()
        guard generator.once(in: 3) else { return "{\(first.key): \(first.value)}" }
        let second = part()
        guard first.key != second.key else { return "{\(first.key): \(first.value)}" }
        note("two requirements")
        return "{\(first.key): \(first.value), \(second.key): \(second.value)}"
    }

    private mutating func part() -> (key: String, value: String) {
        if hasPartner, generator.once(in: 4) {
            note("issuer")
            return ("issuer", generator.pick(["[company]", "[partner]"]))
        }
        switch generator.pick(topics) {
        case .scope:
            if generator.once(in: 2) {
                note("all_of")
                return ("all_of", generator.pick(["[r]", "[w]", "[r, w]"]))
            }
            note("any_of scopes")
            return ("any_of", generator.pick(["[r, w]", "[w, z]"]))
        case .roles:
            note("roles")
            return ("roles", generator.pick(["[m]", "[n]", "[m, n]"]))
        case .claim: return claim()
        case .absent:
            note("absent")
            return ("absent", "[act]")
        case .client:
            note("clients")
            return ("clients", generator.pick(["[c1]", "[c2]", "[c1, c2]"]))
        case .organization:
            note("organization")
            return ("organization", generator.pick(["o1", "[o1, o2]"]))
        case .contextClass:
            note("acr")
            return ("acr", generator.pick(["[g]", "[h]", "[g, h]"]))
        case .signIn:
            note("max_age")
            return ("max_age", generator.pick(["5m", "15m"]))
        case .times, .header, .tokenType, .audience, .subject, .realm:
            note("claims value")
            return ("claims", "{dept: k}")
        }
    }

    private mutating func claim() -> (key: String, value: String) {
        switch Int.random(in: 0..<8, using: &generator) {
        case 6:
            note("claims of elements")
            return ("claims", generator.pick(["{/list/*/dept: k}", "{/list/*/dept: [k, {glob: \"ab/*\"}]}"]))
        case 7:
            note("claims of elements")
            return ("not", generator.pick(["{claims: {/list/*/dept: k}}", "{claims: {/list/*/dept: [k, l]}}"]))
        case 0:
            note("claims value")
            return ("claims", generator.pick(["{dept: k}", "{dept: [k, l]}"]))
        case 1:
            note("claims glob")
            let pattern = generator.pick(["ab/*", "ab/**", "*/c"])
            return ("claims", "{dept: {glob: \"\(pattern)\"}}")
        case 2:
            note("claims value and glob")
            return ("claims", "{dept: [k, {glob: \"*/c\"}]}")
        case 3:
            note("claims number")
            return ("claims", generator.pick(["{dept: [1, true]}", "{dept: [k, 1]}"]))
        case 4:
            note("not value")
            return ("not", generator.pick(["{claims: {dept: k}}", "{claims: {dept: [l, 1]}}"]))
        default:
            note("not glob")
            return ("not", "{claims: {dept: {glob: \"ab/*\"}}}")
        }
    }
}
