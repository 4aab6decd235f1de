/// Answer to a request.
public enum Answer: Hashable, Sendable {
    /// The request is forwarded with the identity of a token with this `iss`. Nil if it is anonymous.
    case forwarded(issuer: String?)
    /// The request is forwarded anonymously, because the rule that would refuse it is only observed.
    case observed(status: Int, reason: String)
    case refused(status: Int, reason: String)
}

/// Reasons of `docs/reasons.md` that can follow from a policy, a token or the form of a request.
public enum Reason: String, Hashable, Sendable, CaseIterable {
    case badRequest = "bad_request"
    case methodNotAllowed = "method_not_allowed"
    case noResource = "no_resource"
    case noRule = "no_rule"
    case maintenance
    case missingCredentials = "missing_credentials"
    case malformedCredentials = "malformed_credentials"
    case multipleCredentials = "multiple_credentials"
    case malformed
    case opaqueNotSupported = "opaque_not_supported"
    case algorithmNotAllowed = "alg_not_allowed"
    case typeMismatch = "typ_mismatch"
    case unsupportedHeader = "unsupported_header"
    case unknownKeyID = "unknown_kid"
    case issuerMismatch = "issuer_mismatch"
    case audienceMismatch = "audience_mismatch"
    case notAccessToken = "not_access_token"
    case expired
    case notYetValid = "not_yet_valid"
    case clientNotAllowed = "client_not_allowed"
    case claimNotAllowed = "claim_not_allowed"
    case subjectInvalid = "subject_invalid"
    case boundToken = "bound_token"
    case claimInvalid = "claim_invalid"
    case organizationMismatch = "organization_mismatch"
    case issuerRequired = "issuer_required"
    case insufficientScope = "insufficient_scope"
    case roleRequired = "role_required"
    case claimRequired = "claim_required"
    case clientRequired = "client_required"
    case authenticationTooWeak = "authentication_too_weak"
    case authenticationTooOld = "authentication_too_old"

    public var status: Int {
        switch self {
        case .badRequest, .malformedCredentials, .multipleCredentials: 400
        case .methodNotAllowed: 405
        case .noResource: 404
        case .maintenance: 503
        case .noRule, .issuerRequired, .insufficientScope, .roleRequired, .claimRequired, .clientRequired: 403
        case .missingCredentials, .malformed, .opaqueNotSupported, .algorithmNotAllowed, .typeMismatch,
            .unsupportedHeader, .unknownKeyID, .issuerMismatch, .audienceMismatch, .notAccessToken, .expired,
            .notYetValid, .clientNotAllowed, .claimNotAllowed, .subjectInvalid, .boundToken, .claimInvalid,
            .organizationMismatch, .authenticationTooWeak, .authenticationTooOld:
            401
        }
    }

    /// The answer if the rule has this mode.
    func answer(isObserving: Bool) -> Answer {
        isObserving && (status == 401 || status == 403)
            ? .observed(status: status, reason: rawValue) : .refused(status: status, reason: rawValue)
    }
}
