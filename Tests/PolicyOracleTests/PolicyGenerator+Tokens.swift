import PolicyOracle

extension PolicyGenerator {
    /// A token that satisfies the rule, possibly changed in some respects.
    mutating func token(for rule: Rule, _ resource: Resource, _ policy: Policy, _ parameters: [String: String]) -> Token
    {
        let issuers = policy.issuers.filter { resource.issuers.contains($0.name) || once(in: 20) }
        let issuer = pick(issuers)
        let requirements = [resource.require, rule.access.requirement].compactMap { $0 }
        let parts = issuer.require + requirements.flatMap { $0.parts(policy.policies) }
        var draft = TokenDraft(issuer, for: resource, at: Self.now, with: &self)
        for part in parts { draft.meet(part, parameters, resource.scopes, Self.now, with: &self) }
        draft.token = draft.finished(with: &self)
        for _ in 0..<pick([0, 0, 0, 0, 1, 1, 2]) {
            guard once(in: 2) else {
                change(&draft, near: pick(parts + [.clients([])]))
                continue
            }
            changeToken(&draft, resource)
        }
        return draft.token
    }

    // MARK: What rules ask for

    private mutating func change(_ draft: inout TokenDraft, near part: Part) {
        switch part {
        case .allOf, .text:
            let values: [JSON?] = [
                nil, .null, .texts(["r"]), .text("w r"), .texts(["r w", "z"]), .text("R"), .integer(7),
                .object(["r": .null]),
                .text("orders:*"), .text("orders:read"), .text("w,r"), .text("z ;r"), .text("r| w"), .text(",r,"),
                .array([.text("r"), .integer(7)]), .text("x"),
            ]
            draft.set(pick(draft.issuer.scopePaths), pick(values))
        case .anyOf(let alternatives):
            let parts = pick(alternatives).parts
            change(&draft, near: pick(parts))
        case .roles:
            let values: [JSON?] = [
                nil, .null, .text("m n"), .texts(["m n"]), .texts(["M"]), .text("n"), .object(["m": .boolean(true)]),
                .array([.text("m"), .integer(7)]), .texts([]), .integer(7),
            ]
            draft.set(pick(draft.issuer.rolePaths), pick(values))
        case .claims(let demands), .not(let demands):
            let demand = pick(demands)
            draft.set(demand.path, nearMiss(of: demand))
            if demand.path.names.count > 1, once(in: 4) { hide(demand.path, &draft) }
        case .absent(let paths):
            let path = pick(paths)
            let values: [JSON] = [.null, .text("x"), .array([]), .object([:]), .boolean(false), .integer(0)]
            draft.set(path, pick(values))
            if path.names.count > 1, once(in: 2) { hide(path, &draft) }
        case .issuer: changeToken(&draft, nil)
        case .clients:
            let values: [JSON?] = [
                nil, .null, .text("c1"), .text("c3"), .integer(7), .texts(["c1"]), .number("7.0"), .object([:]),
            ]
            draft.set(pick(draft.issuer.clientPaths), pick(values))
        case .organization, .organizationInPath:
            let values: [JSON?] = [
                nil, .null, .text("acme"), .text("Acme"), .text("other"), .texts(["acme"]), .object([:]),
                .text("acme%2Fa"), .text("acme/a"),
            ]
            draft.token.claims["organization_id"] = pick(values)
        case .acr:
            let values: [JSON?] = [
                nil, .null, .text("gold"), .text("Gold"), .integer(7), .texts(["platinum", "x"]), .texts([]),
                .text("gold x"),
            ]
            draft.token.claims["acr"] = pick(values)
        case .maxAge(let most):
            let leeway = draft.issuer.toleratedSeconds
            let oldest = Self.now - most - leeway
            let values: [JSON?] = [
                .integer(oldest - 1), .integer(oldest), .number("\(oldest).5"), .integer(Self.now + leeway),
                .integer(Self.now + leeway + 1), .text("\(Self.now)"), .null, nil, .number("\(oldest - 1).5"),
            ]
            draft.token.claims["auth_time"] = pick(values)
        }
    }

    /// Puts a claim where a reader of its path may not find it.
    private mutating func hide(_ path: ClaimPath, _ draft: inout TokenDraft) {
        if path.hasElements {
            let element = JSON.object(["role": .text("gold"), "in": .texts(["silver"])])
            draft.token.claims[path.names[0]] = pick([
                .array([element, .null]), .array([element, .object([:])]), .array([.text("gold")]), element, .array([]),
                .array([.object(["role": .null]), .object(["role": .texts(["x", "gold"])])]),
                .array([.object(["role": .text("x")]), .object(["role": .integer(7)])]), .texts([]), .text("x"), nil,
            ])
            return
        }
        let inner = JSON.object([path.names.last ?? "": .text("gold")])
        draft.token.claims[path.names[0]] = pick([.array([inner]), .text("x"), .null, nil, .object([:])])
        if once(in: 2) { draft.token.claims[path.names.joined(separator: ".")] = .text("gold") }
        if path.names.count > 2, once(in: 2) {
            draft.token.claims[path.names.dropLast().joined(separator: ".")] = pick([inner, .text("x"), .object([:])])
        }
    }

    /// A realm that an issuer accepts. For an issuer without realms, any text.
    mutating func realm(of issuer: Issuer) -> String {
        switch issuer.realms {
        case nil: ""
        case .listed(let names)?: pick(names)
        case .glob(let glob)?: glob.replacing("*", with: pick(["1", "a-b", "x_y.z", "17"]))
        }
    }

    // MARK: What is asked of every token

    private mutating func changeToken(_ draft: inout TokenDraft, _ resource: Resource?) {
        let now = Self.now
        let leeway = draft.issuer.toleratedSeconds
        switch Int.random(in: 0..<14, using: &self) {
        case 0:
            let end = now - leeway + pick([-1, 0, 1])
            setTimes(&draft, issued: end - 60, end: pick([.integer(end), .number("\(end).5")]))
        case 1: setTimes(&draft, issued: now - 60, end: pick([nil, .null, .text("\(now + 300)"), .boolean(true)]))
        case 2:
            setTimes(&draft, issued: now + leeway + pick([-1, 0, 1]), end: .integer(now + 3600))
        case 3:
            setTimes(&draft, issued: now - 60, end: .integer(now + 3600))
            let start = now + leeway
            draft.token.claims["nbf"] = pick([
                .integer(start), .integer(start + 1), .number("\(start).5"), .null, .text("0"), .integer(now - 90),
            ])
        case 4:
            let most = draft.issuer.maxLifetime ?? 7200
            setTimes(&draft, issued: now - 60, end: .integer(now - 60 + most + pick([-1, 0, 1])))
        case 5:
            draft.token.claims["aud"] = pick([
                nil, .null, .array([]), .text("orders"), .texts(["second", "x"]), .integer(7), .object([:]),
                .text("Orders"),
                .texts([""]), .text("api-0"),
            ])
        case 6:
            let identifier = draft.issuer.identifier(of: realm(of: draft.issuer))
            let another = pick([
                "master", "Acme", "cust-", "cust-1/x", "cust-1%2Fx", "..", "-e", "{realm}", "", "cust-é", "b.1", "acme",
                "cust-" + String(repeating: "1", count: 59), "cust-" + String(repeating: "1", count: 60),
            ])
            draft.token.claims["iss"] = pick([
                .text(draft.issuer.identifier(of: another)), .text(draft.issuer.identifier(of: another)),
                nil, .null, .text(identifier + "/"), .text("https://third.example"), .text("https://partner.example"),
                .texts([identifier]),
            ])
        case 7:
            draft.token.header["typ"] = pick([nil, .text("JWT"), .text("at+jwt"), .integer(7)])
        case 8: draft.token.header["kid"] = pick([nil, .text("bad"), .text("k2"), .integer(7)])
        case 9:
            draft.token.header["alg"] = pick([
                nil, .text("RS256"), .text("ES256"), .text("PS256"), .text("HS256"), .text("none"), .text("RS512"),
            ])
        case 10: draft.token.header[pick(["crit", "b64", "zip", "enc"])] = .boolean(true)
        case 11:
            draft.set(
                pick(draft.issuer.subjectPaths),
                pick([
                    nil, .null, .text(""), .text("a\u{1}b"), .text("a\u{7F}"), .number("1.0"), .number("1e3"),
                    .number("-0"),
                    .number("18446744073709551616"), .integer(-7), .texts(["s"]), .boolean(true),
                ]))
        case 12:
            let value: JSON = pick([.object(["jkt": .text("x")]), .object(["jkt": .text("x")]), .null])
            draft.token.claims[pick(["cnf", "cnf", "events", "jti"])] = value
        default:
            guard case .claim(let path, let values) = draft.issuer.tokenType else { return }
            let other = [nil, .null, .text("ID"), .integer(4), .boolean(false)] + values.map { value(of: $0) }
            draft.set(ClaimPath(path), pick(other))
        }
    }

    /// - Parameter issued: seconds since 1970; before the expiry, if that is a time.
    private mutating func setTimes(_ draft: inout TokenDraft, issued: Int, end: JSON?) {
        draft.token.claims["iat"] = .integer(issued)
        draft.token.claims["exp"] = end
        draft.token.claims["nbf"] = nil
        if once(in: 5) { draft.token.claims["iat"] = pick([nil, .null]) }
    }
}
