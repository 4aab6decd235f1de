import TokenVerification

/// The verdict of a policy on a verified token.
public enum Decision: Sendable, Hashable {
    case granted
    /// `missed` is the index of the policy's requirement that is not met; nil: the token is only for rules that ask for an organisation.
    case denied(Denial, missed: Int?)
}

/// What a valid token lacks, in the words of logs and metrics.
public enum Denial: String, Sendable, Hashable, CaseIterable {
    case organizationMismatch = "organization_mismatch"
    case insufficientScope = "insufficient_scope"
    case roleRequired = "role_required"
    case claimRequired = "claim_required"
    case clientRequired = "client_required"
    case authenticationTooWeak = "authentication_too_weak"
    case authenticationTooOld = "authentication_too_old"

    /// What the challenge says of it (RFC 6750 §3.1, RFC 9470 §3).
    public var bearerError: BearerError {
        switch self {
        case .organizationMismatch: .invalidToken
        case .insufficientScope, .roleRequired, .claimRequired, .clientRequired: .insufficientScope
        case .authenticationTooWeak, .authenticationTooOld: .insufficientUserAuthentication
        }
    }

    /// Earlier is judged first.
    var judgingOrder: Int {
        switch self {
        case .organizationMismatch: 0
        case .insufficientScope: 1
        case .roleRequired: 2
        case .claimRequired: 3
        case .clientRequired: 4
        case .authenticationTooWeak: 5
        case .authenticationTooOld: 6
        }
    }
}
