import TokenVerification

/// The verdict of a policy on a verified token.
public enum Decision: Sendable, Hashable {
    case granted
    /// `missed` is the index of the policy's requirement that is not met; nil: the token is only for rules that ask for
    /// an organisation, and it meets this one without.
    case denied(Denial, missed: Int?)
}

/// What a valid token lacks, in the words of logs and metrics.
public enum Denial: String, Sendable, Hashable, CaseIterable {
    case organizationMismatch = "organization_mismatch"
    case issuerRequired = "issuer_required"
    case insufficientScope = "insufficient_scope"
    case roleRequired = "role_required"
    case claimRequired = "claim_required"
    case clientRequired = "client_required"
    case authenticationTooWeak = "authentication_too_weak"
    case authenticationTooOld = "authentication_too_old"
    /// What it says of the caller is longer than upstreams are to be told.
    case identityTooLarge = "identity_too_large"

    /// What the challenge says of it (RFC 6750 §3.1, RFC 9470 §3).
    public var bearerError: BearerError {
        switch self {
        case .organizationMismatch: .invalidToken
        case .issuerRequired, .insufficientScope, .roleRequired, .claimRequired, .clientRequired, .identityTooLarge:
            .insufficientScope
        case .authenticationTooWeak, .authenticationTooOld: .insufficientUserAuthentication
        }
    }

    /// Earlier is judged first.
    var judgingOrder: Int {
        switch self {
        case .organizationMismatch: 0
        case .issuerRequired: 1
        case .insufficientScope: 2
        case .roleRequired: 3
        case .claimRequired: 4
        case .clientRequired: 5
        case .authenticationTooWeak: 6
        case .authenticationTooOld: 7
        // Asked when all requirements are met.
        case .identityTooLarge: 8
        }
    }
}
