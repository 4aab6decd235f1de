import AccessControl
import TokenVerification

extension TokenRejection {
    /// The word for it in logs and in the samples.
    var reason: String {
        switch self {
        case .malformed: "malformed"
        case .opaqueNotSupported: "opaque_not_supported"
        case .algorithmNotAllowed: "alg_not_allowed"
        case .typeMismatch: "typ_mismatch"
        case .unsupportedHeader: "unsupported_header"
        case .unknownKeyID: "unknown_kid"
        case .badSignature: "bad_signature"
        case .verificationUnavailable: "verification_unavailable"
        case .issuerMismatch: "issuer_mismatch"
        case .audienceMismatch: "audience_mismatch"
        case .notAccessToken: "not_access_token"
        case .expired: "expired"
        case .notYetValid: "not_yet_valid"
        case .authTimeInvalid: "auth_time_invalid"
        case .authenticationTooOld: "authentication_too_old"
        case .tenantMismatch: "tenant_mismatch"
        case .tenantNotAllowed: "tenant_not_allowed"
        case .keyIssuerMismatch: "key_issuer_mismatch"
        case .policyNotAllowed: "policy_not_allowed"
        case .versionNotAllowed: "version_not_allowed"
        case .clientNotAllowed: "client_not_allowed"
        case .foreignResource: "foreign_resource"
        case .inactive: "inactive"
        case .subjectInvalid: "subject_invalid"
        case .boundToken: "bound_token"
        case .claimInvalid: "claim_invalid"
        }
    }
}

extension Denial {
    var reason: String {
        switch self {
        case .organizationMismatch: "organization_mismatch"
        case .insufficientScope: "insufficient_scope"
        case .roleRequired: "role_required"
        case .claimRequired: "claim_required"
        case .clientRequired: "client_required"
        case .authenticationTooWeak: "authentication_too_weak"
        case .authenticationTooOld: "authentication_too_old"
        }
    }
}
