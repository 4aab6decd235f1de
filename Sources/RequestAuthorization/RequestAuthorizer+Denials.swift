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

    /// What is kept of the token of a permitted request for as long as what it opened lasts; nil: there is no deny list, or no token.
    public func denyMarks(of request: borrowing AuthorizationRequest, _ facts: AuthorizationFacts?) -> DenyMarks? {
        guard let denials, let facts, facts.isAuthenticated else { return nil }
        if let token = facts.token { return denials.digests.marks(of: token) }
        return facts.hasRecord ? request.record.denyMarks : nil
    }

    /// Whether the token that something was opened with is denied by now.
    public func denies(_ marks: DenyMarks, at now: NumericDate) -> Bool {
        denials?.attribute(denying: marks, at: now) != nil
    }
}
