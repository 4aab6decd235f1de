import PolicyOracle

/// A token built to satisfy a rule, part by part.
struct TokenDraft {
    let issuer: Issuer
    var token: Token
    private(set) var scopes: [String] = []
    private(set) var roles: [String] = []

    /// A token that is valid for the resource, with no further claims.
    init(_ issuer: Issuer, for resource: Resource, at now: Int, with draw: inout PolicyGenerator) {
        self.issuer = issuer
        let audiences = resource.audiences(of: issuer)
        let audience = draw.pick(audiences.isEmpty ? ["orders"] : audiences)
        token = Token(
            header: [
                "alg": .text(draw.pick(issuer.algorithms ?? ["RS256", "ES256"])),
                "typ": .text("at+jwt"), "kid": .text("k"),
            ],
            claims: [
                "iss": .text(issuer.identifier(of: draw.realm(of: issuer))), "exp": .integer(now + 300),
                "iat": .integer(now - 60),
                "sub": draw.pick([.text("s-1"), .integer(42), .text("42")]),
                "aud": draw.once(in: 2) ? .text(audience) : .texts(["else", audience]),
            ])
        if issuer.tokenType == .any { token.header["typ"] = draw.pick([.text("at+jwt"), .text("JWT"), nil]) }
        if case .claim(let path, let values) = issuer.tokenType {
            set(ClaimPath(path), draw.value(of: draw.pick(values)))
        }
        if issuer.subjectClaims != nil {
            for path in issuer.subjectPaths where draw.once(in: 2) {
                set(path, draw.pick([.text("u-1"), .integer(7)]))
            }
        }
        if let clients = issuer.clients { setClient(draw.pick(clients), with: &draw) }
        if !issuer.clientsWithoutAudience.isEmpty, draw.once(in: 3) {
            token.claims["aud"] = draw.pick([nil, nil, .null, .array([]), .text(""), .array([.text("")])])
            setClient(draw.pick(issuer.clientsWithoutAudience + PolicyGenerator.clients), with: &draw)
        }
        for part in issuer.require { meet(part, [:], [:], now, with: &draw) }
    }

    // MARK: Parts

    /// Makes the token satisfy a part of a requirement, in the simplest way.
    mutating func meet(
        _ part: Part, _ parameters: [String: String], _ implied: [String: [String]], _ now: Int,
        with draw: inout PolicyGenerator
    ) {
        switch part {
        case .allOf(let scopes), .text(let scopes):
            for scope in scopes {
                let implying = implied.filter { $0.value.contains(scope) }.keys.sorted()
                self.scopes.append(
                    implying.isEmpty || draw.once(in: 2) ? scope : draw.pick(implying))
            }
        case .anyOf(let alternatives):
            for part in draw.pick(alternatives).parts {
                meet(part, parameters, implied, now, with: &draw)
            }
        case .roles(let roles): self.roles.append(draw.pick(roles))
        case .claims(let demands):
            for demand in demands {
                let value = draw.value(of: draw.pick(demand.values))
                let isAlone = demand.path.text == "sub" || draw.once(in: 2)
                set(demand.path, isAlone ? value : .array([.text("x"), value]))
            }
        case .not(let demands): for demand in demands { set(demand.path, draw.anotherValue(than: demand)) }
        case .absent(let paths): for path in paths { token.claims[path.names[0]] = nil }
        case .issuer: break
        case .clients(let clients): setClient(draw.pick(clients), with: &draw)
        case .organization(let names): token.claims["organization_id"] = .text(draw.pick(names))
        case .organizationInPath(let name): token.claims["organization_id"] = parameters[name].map { .text($0) }
        case .acr(let classes):
            let own = draw.pick(classes)
            token.claims["acr"] = draw.once(in: 2) ? .text(own) : .texts(["x", own])
        case .maxAge(let most):
            token.claims["auth_time"] = .integer(now - Int.random(in: 0...most, using: &draw))
        }
    }

    private mutating func setClient(_ client: String, with draw: inout PolicyGenerator) {
        for path in issuer.clientPaths { set(path, nil) }
        let isInteger = draw.once(in: 2)
        set(draw.pick(issuer.clientPaths), Int(client).flatMap { isInteger ? .integer($0) : nil } ?? .text(client))
    }

    // MARK: Claims

    mutating func set(_ path: ClaimPath, _ value: JSON?) {
        token.claims = Self.setting(value, at: path.names[...], in: token.claims)
    }

    private static func setting(_ value: JSON?, at names: ArraySlice<String>, in members: [String: JSON])
        -> [String: JSON]
    {
        guard let name = names.first else { return members }
        var members = members
        if names.dropFirst().first == "*" {
            let inner = names.dropFirst(2)
            let element = inner.isEmpty ? value : .object(setting(value, at: inner, in: [:]))
            let others = if case .array(let others)? = members[name] { others } else { [] as [JSON] }
            members[name] = value == nil ? nil : .array(others + [element ?? .null])
            return members
        }
        if names.count == 1 {
            members[name] = value
        } else {
            let inner = if case .object(let inner)? = members[name] { inner } else { [:] as [String: JSON] }
            members[name] = .object(setting(value, at: names.dropFirst(), in: inner))
        }
        return members
    }

    /// The token with its scopes and roles, each in a claim where its issuer writes them.
    mutating func finished(with draw: inout PolicyGenerator) -> Token {
        if !scopes.isEmpty || draw.once(in: 3) {
            let own = Set(scopes).sorted()
            let path = draw.pick(issuer.scopePaths)
            let separator = issuer.scopeSeparator ?? " "
            let spaced = draw.pick(["", "", " "])
            let text = own.joined(separator: spaced + separator + (separator == " " ? "" : spaced))
            set(path, draw.once(in: 2) ? .text(text) : .texts(own))
        }
        if !roles.isEmpty {
            let own = Set(roles).sorted()
            let isText = own.count == 1 && draw.once(in: 2)
            set(draw.pick(issuer.rolePaths), isText ? .text(own[0]) : .texts(own))
        }
        return token
    }
}
