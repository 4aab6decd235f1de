extension Policy {
    /// The policy as a configuration file.
    public var yaml: String {
        var lines = ["listen: 127.0.0.1:8080"]
        if !methods.isEmpty { lines.append("methods: \(methods.list)") }
        lines.append("issuers:")
        lines += issuers.map { "  \($0.name): \($0.yaml)" }
        if !policies.isEmpty {
            lines.append("policies:")
            lines += policies.sorted { $0.key < $1.key }.map { "  \($0.key): \($0.value.yaml)" }
        }
        lines.append("resources:")
        for resource in resources { lines += resource.lines }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension Resource {
    fileprivate var lines: [String] {
        var lines = ["  \(JSON.quoted(identifier)):", "    issuers: \(issuers.list)"]
        // An upstream that gets `Authorization` unjudged cannot be that of a resource which reads tokens there.
        lines.append("    upstream: http://127.0.0.1:\(passesAuthorization ? 9001 : 9000)")
        let passed = passesAuthorization ? ", authorization: pass" : ""
        lines.append("    forward: {identity: {issuer: X-Auth-Issuer}\(passed)}")
        if !at.isEmpty { lines.append("    at: \(at.list)") }
        switch audiences {
        case .identifier: break
        case .ofAll(let audiences): lines.append("    audiences: \(audiences.list)")
        case .ofEach(let audiences):
            let each = audiences.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.list)" }
            lines.append("    audiences: {\(each.joined(separator: ", "))}")
        }
        if keepsPathParameters { lines.append("    path_parameters: keep") }
        if encodedSlashes != .refuse { lines.append("    encoded_slashes: \(encodedSlashes)") }
        if let tokenHeader {
            let prefix = tokenHeader.prefix.map { ", prefix: \(JSON.quoted($0))" } ?? ""
            let first =
                tokenHeader.prefix == nil && !tokenHeader.others.isEmpty ? "X-Token" : "{name: X-Token\(prefix)}"
            let all = ([first] + tokenHeader.others.map(\.rawValue)).joined(separator: ", ")
            lines.append("    token_header: \(tokenHeader.others.isEmpty ? first : "[\(all)]")")
        }
        if !scopes.isEmpty {
            let each = scopes.sorted { $0.key < $1.key }.map { "\(JSON.quoted($0.key)): {implies: \($0.value.list)}" }
            lines.append("    scopes: {\(each.joined(separator: ", "))}")
        }
        if let require { lines.append("    require: \(require.yaml)") }
        if let mode { lines.append("    mode: \(mode.yaml)") }
        if let maintenance { lines.append("    maintenance: \(maintenance.yaml)") }
        lines.append("    rules:")
        return lines + rules.map { "      \(JSON.quoted($0.route.text)): \($0.yaml)" }
    }
}

extension Rule {
    fileprivate var yaml: String {
        let whole =
            switch access {
            case .everyone: "{public: true}"
            case .optional(let requirement): "{optional: \(requirement.yaml)}"
            case .needing(let requirement): requirement.yaml
            }
        let others = [mode.map { "mode: \($0.yaml)" }, maintenance.map { "maintenance: \($0.yaml)" }]
        let beside = others.compactMap(\.self).joined(separator: ", ")
        guard !beside.isEmpty else { return whole }
        switch access {
        case .needing(.authenticated): return "{\(beside)}"
        case .needing(.scopes(let scopes)): return "{all_of: \(scopes.list), \(beside)}"
        case .everyone, .optional, .needing(.mapping): return "\(whole.dropLast()), \(beside)}"
        }
    }
}

extension Maintenance {
    fileprivate var yaml: String { until.map { "{until: \($0)}" } ?? "{}" }
}

extension Mode {
    fileprivate var yaml: String {
        switch self {
        case .enforce: "enforce"
        case .observe(let until, _): "{observe: {until: \(until)}}"
        }
    }
}

extension Requirement {
    fileprivate var yaml: String {
        switch self {
        case .authenticated: "authenticated"
        case .scopes(let scopes): JSON.quoted(scopes.joined(separator: " "))
        case .mapping(let parts, let policy):
            "{\((parts.map(\.yaml) + (policy.map { ["policy: \($0)"] } ?? [])).joined(separator: ", "))}"
        }
    }
}

extension Part {
    fileprivate var yaml: String {
        switch self {
        case .allOf(let scopes): "all_of: \(scopes.list)"
        case .anyOf(let alternatives): "any_of: [\(alternatives.map(\.yaml).joined(separator: ", "))]"
        case .text(let scopes): "text: \(scopes.list)"
        case .roles(let roles): "roles: \(roles.list)"
        case .claims(let demands): "claims: \(demands.yaml)"
        case .not(let demands): "not: {claims: \(demands.yaml)}"
        case .absent(let paths): "absent: \(paths.map(\.text).list)"
        case .issuer(let names): "issuer: \(names.list)"
        case .clients(let clients): "clients: \(clients.list)"
        case .organization(let names): "organization: \(names.list)"
        case .organizationInPath(let name): "organization: \"{\(name)}\""
        case .acr(let classes): "acr: \(classes.list)"
        case .maxAge(let seconds): "max_age: \(seconds)s"
        }
    }
}

extension Alternative {
    fileprivate var yaml: String {
        switch self {
        case .scope(let scope): JSON.quoted(scope)
        case .mapping(let parts): "{\(parts.map(\.yaml).joined(separator: ", "))}"
        }
    }
}

extension Issuer {
    fileprivate var yaml: String {
        let type =
            switch tokenType {
            case .any: "any"
            case .accessTokenJWT: "at+jwt"
            case .claim(let path, let values): "{claim: \(JSON.quoted(path)), value: \(values.yaml)}"
            }
        let optional = [
            realms.map { realms in
                switch realms {
                case .listed(let names): "realms: \(names.list)"
                case .glob(let glob): "realms: {glob: \(JSON.quoted(glob))}"
                }
            },
            algorithms.map { "algorithms: \($0.list)" }, leeway.map { "leeway: \($0)s" },
            maxLifetime.map { "max_lifetime: \($0)s" }, allowsMissingKeyID ? "allow_missing_kid: true" : nil,
            deniedKeys.isEmpty ? nil : "denied_keys: \(deniedKeys.list)",
            scopeClaims.map { "scope_claims: \($0.list)" },
            scopeSeparator.map { "scope_separator: \(JSON.quoted($0))" },
            subjectClaims.map { "subject_claims: \($0.list)" },
            roleClaims.map { "role_claims: \($0.list)" }, clientClaims.map { "client_claims: \($0.list)" },
            clients.map { "clients: \($0.list)" },
            clientsWithoutAudience.isEmpty ? nil : "without_audience: {clients: \(clientsWithoutAudience.list)}",
            require.isEmpty ? nil : "require: {\(require.map(\.yaml).joined(separator: ", "))}",
        ]
        let keys = ["issuer: \(JSON.quoted(identifier))", "token_type: \(type)"] + optional.compactMap { $0 }
        return "{\(keys.joined(separator: ", "))}"
    }
}

extension [ClaimDemand] {
    fileprivate var yaml: String {
        "{\(map { "\(JSON.quoted($0.path.text)): \($0.values.yaml)" }.joined(separator: ", "))}"
    }
}

extension [ClaimDemand.Value] {
    /// A single element is written without a list.
    fileprivate var yaml: String {
        let values = map { value in
            switch value {
            case .text(let text): text.contains("*") ? "{text: \(JSON.quoted(text))}" : JSON.quoted(text)
            case .integer(let number): "\(number)"
            case .number(let spelling): spelling
            case .boolean(let value): "\(value)"
            case .pattern(let pattern): "{glob: \(JSON.quoted(pattern.text))}"
            }
        }
        return count == 1 ? values[0] : "[\(values.joined(separator: ", "))]"
    }
}

extension [String] {
    /// A list of strings; a single one is written as a string.
    fileprivate var list: String {
        count == 1 ? JSON.quoted(self[0]) : "[\(map(JSON.quoted).joined(separator: ", "))]"
    }
}
