import AccessControl
import TokenVerification

/// A rule's requirements in the form in which a known token is judged by them: masks over its facts, and what time and path decide.
///
/// It only ever permits. Where it does not, the token is judged again from its beginning, so that every refusal has the same reason,
/// challenge and hint whether or not the token was known.
struct PermitPolicy: Sendable {
    /// What a mask cannot ask.
    enum Step: Sendable {
        case any(TokenAtoms)
        case organization(parameter: String)
        /// In seconds.
        case maxAge(Double)
    }

    /// All that must be so, the opening of the resource included.
    private(set) var needed: TokenAtoms
    private(set) var steps: [Step] = []
    let asksForOrganization: Bool

    /// - Parameter opening: that the token's audience is the resource's.
    init(_ policy: AccessPolicy, opening: TokenAtom, _ catalogue: inout TokenAtomCatalogue) {
        needed = TokenAtoms([opening])
        asksForOrganization = policy.asksForOrganization
        guard case .token(let requirements) = policy else { return }
        for requirement in requirements {
            switch requirement {
            case .allScopes(let scopes): for scope in scopes { needed.insert(catalogue.atom(scope: scope)) }
            case .anyScope(let scopes): steps.append(.any(TokenAtoms(scopes.map { catalogue.atom(scope: $0) })))
            case .anyRole(let roles): steps.append(.any(TokenAtoms(roles.map { catalogue.atom(role: $0) })))
            case .organization(.pathParameter(let name)): steps.append(.organization(parameter: name))
            case .maxAge(let limit): steps.append(.maxAge(limit.inSeconds))
            case .claim, .client, .organization(.oneOf), .authenticationContext: needed.insert(catalogue.atom(requirement))
            }
        }
    }
}

/// The facts that a configuration asks for, numbered as they are met.
struct TokenAtomCatalogue: Sendable {
    private(set) var scopes: [[UInt8]: TokenAtom] = [:]
    private(set) var roles: [[UInt8]: TokenAtom] = [:]
    private(set) var requirements: [Requirement: TokenAtom] = [:]
    private var count = 0

    // By bytes: Swift's strings are equal when they only look equal.
    mutating func atom(scope: String) -> TokenAtom {
        if let known = scopes[Array(scope.utf8)] { return known }
        let atom = next()
        scopes[Array(scope.utf8)] = atom
        return atom
    }

    mutating func atom(role: String) -> TokenAtom {
        if let known = roles[Array(role.utf8)] { return known }
        let atom = next()
        roles[Array(role.utf8)] = atom
        return atom
    }

    mutating func atom(_ requirement: Requirement) -> TokenAtom {
        if let known = requirements[requirement] { return known }
        let atom = next()
        requirements[requirement] = atom
        return atom
    }

    mutating func next() -> TokenAtom {
        defer { count += 1 }
        return TokenAtom(number: count)
    }
}
