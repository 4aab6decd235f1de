import DenyLists
import KnownTokens
import TokenVerification

extension RequestAuthorizer {
    /// What the deny list says of a token.
    enum Denial: Hashable {
        case none
        case by(DeniedAttribute)
        /// The cryptographic library failed, so it cannot be told.
        case unknown
    }

    func denial(of token: VerifiedToken, at now: NumericDate) -> Denial {
        guard let denials else { return .none }
        guard let marks = denials.digests.marks(of: token) else { return .unknown }
        return denials.attribute(denying: marks, at: now).map { .by($0) } ?? .none
    }

    /// Whether there is a deny list, whatever is on it.
    public var hasDenyList: Bool { denials != nil }

    /// What is kept of the token of a forwarded request for as long as what it opened lasts; nil: there is no deny list, or no token.
    public func denyMarks(of request: borrowing AuthorizationRequest, _ facts: AuthorizationFacts?) -> DenyMarks? {
        guard let denials, let facts, facts.isAuthenticated || facts.would != nil else { return nil }
        if let proved = provedClaims(facts) { return denials.digests.marks(of: proved) }
        return facts.hasRecord ? request.record.denyMarks : nil
    }

    /// What the deny list says of a token that is refused for something else, if it is known what its issuer says of it.
    func denial(ofRefused request: borrowing AuthorizationRequest, _ facts: AuthorizationFacts) -> Denial {
        guard let denials, facts.hasRecord || provedClaims(facts) != nil else { return .none }
        // A record that was made before there was a list has no marks, and is of an earlier configuration.
        let marks =
            provedClaims(facts).map { denials.digests.marks(of: $0) }
            ?? request.record.denyMarks
        guard let marks else { return .unknown }
        return denials.attribute(denying: marks, at: facts.time).map { .by($0) } ?? .none
    }

    private func provedClaims(_ facts: AuthorizationFacts) -> ProvedClaims? {
        if let token = facts.token { return ProvedClaims(token) }
        if let signed = facts.signed { return ProvedClaims(signed) }
        guard let answer = facts.introspected, let issuer = rules(of: facts.issuer) else { return nil }
        return ProvedClaims(answer, of: issuer)
    }

    /// Whether the token that something was opened with is denied by now.
    public func denies(_ marks: DenyMarks, at now: NumericDate) -> Bool {
        denials?.attribute(denying: marks, at: now) != nil
    }
}
