import TokenVerification

/// Why a request was answered by Bearward itself: the closed list that access logs, metrics and `explain` share.
///
/// More may come; none is ever renamed.
public enum RejectionReason: String, Sendable, Hashable, CaseIterable {
    // Credentials
    case missingCredentials = "missing_credentials"
    case malformedCredentials = "malformed_credentials"
    case multipleCredentials = "multiple_credentials"
    // The token
    case malformed
    case opaqueNotSupported = "opaque_not_supported"
    case algorithmNotAllowed = "alg_not_allowed"
    case typeMismatch = "typ_mismatch"
    case unsupportedHeader = "unsupported_header"
    case unknownKeyID = "unknown_kid"
    case badSignature = "bad_signature"
    case issuerMismatch = "issuer_mismatch"
    case audienceMismatch = "audience_mismatch"
    case notAccessToken = "not_access_token"
    case expired
    case notYetValid = "not_yet_valid"
    case subjectInvalid = "subject_invalid"
    case organizationMismatch = "organization_mismatch"
    case tenantMismatch = "tenant_mismatch"
    case tenantNotAllowed = "tenant_not_allowed"
    case keyIssuerMismatch = "key_issuer_mismatch"
    case policyNotAllowed = "policy_not_allowed"
    case versionNotAllowed = "version_not_allowed"
    case clientNotAllowed = "client_not_allowed"
    case foreignResource = "foreign_resource"
    case authTimeInvalid = "auth_time_invalid"
    case inactive
    case boundToken = "bound_token"
    case claimInvalid = "claim_invalid"
    // The authentication behind the token
    case authenticationTooOld = "authentication_too_old"
    case authenticationTooWeak = "authentication_too_weak"
    // The policy
    case insufficientScope = "insufficient_scope"
    case roleRequired = "role_required"
    case claimRequired = "claim_required"
    case clientRequired = "client_required"
    case noRule = "no_rule"
    case noResource = "no_resource"
    // The gateway's own state
    case keysUnavailable = "keys_unavailable"
    case introspectionUnavailable = "introspection_unavailable"
    case overloaded
    case rateLimited = "rate_limited"
    // The upstream
    case upstreamUnreachable = "upstream_unreachable"
    case upstreamInvalid = "upstream_invalid"
    case upstreamTimeout = "upstream_timeout"
    /// It says that it did not process the request, which cannot be sent again.
    case upstreamRefused = "upstream_refused"
    /// The client's own (`grpc-timeout`).
    case deadlineExceeded = "deadline_exceeded"
    // The request as a message
    case badRequest = "bad_request"
    case methodNotAllowed = "method_not_allowed"
    case requestTimeout = "request_timeout"
    case bodyTooLarge = "body_too_large"
    case targetTooLong = "target_too_long"
    case expectationFailed = "expectation_failed"
    case headTooLarge = "head_too_large"
    case codingNotSupported = "coding_not_supported"
    case versionNotSupported = "version_not_supported"

    /// The HTTP status code of the answer.
    public var status: Int {
        switch self {
        case .malformedCredentials, .multipleCredentials, .badRequest: 400
        case .missingCredentials, .malformed, .opaqueNotSupported, .algorithmNotAllowed, .typeMismatch, .unsupportedHeader,
            .unknownKeyID, .badSignature, .issuerMismatch, .audienceMismatch, .notAccessToken, .expired, .notYetValid,
            .subjectInvalid, .organizationMismatch, .tenantMismatch, .tenantNotAllowed, .keyIssuerMismatch, .policyNotAllowed,
            .versionNotAllowed, .clientNotAllowed, .foreignResource, .authTimeInvalid, .inactive, .boundToken, .claimInvalid,
            .authenticationTooOld, .authenticationTooWeak:
            401
        case .insufficientScope, .roleRequired, .claimRequired, .clientRequired, .noRule: 403
        case .noResource: 404
        case .methodNotAllowed: 405
        case .requestTimeout: 408
        case .bodyTooLarge: 413
        case .targetTooLong: 414
        case .expectationFailed: 417
        case .rateLimited: 429
        case .headTooLarge: 431
        case .codingNotSupported: 501
        case .upstreamUnreachable, .upstreamInvalid: 502
        case .keysUnavailable, .introspectionUnavailable, .overloaded, .upstreamRefused: 503
        case .upstreamTimeout, .deadlineExceeded: 504
        case .versionNotSupported: 505
        }
    }

    /// The challenge's error code; nil where the answer's challenge has none or there is no challenge.
    public var bearerError: BearerError? {
        switch self {
        case .malformedCredentials, .multipleCredentials: .invalidRequest
        case .malformed, .opaqueNotSupported, .algorithmNotAllowed, .typeMismatch, .unsupportedHeader, .unknownKeyID, .badSignature,
            .issuerMismatch, .audienceMismatch, .notAccessToken, .expired, .notYetValid, .subjectInvalid, .organizationMismatch,
            .tenantMismatch, .tenantNotAllowed, .keyIssuerMismatch, .policyNotAllowed, .versionNotAllowed, .clientNotAllowed,
            .foreignResource, .authTimeInvalid, .inactive, .boundToken, .claimInvalid:
            .invalidToken
        case .authenticationTooOld, .authenticationTooWeak: .insufficientUserAuthentication
        case .insufficientScope, .roleRequired, .claimRequired, .clientRequired: .insufficientScope
        case .missingCredentials, .noRule, .noResource, .keysUnavailable, .introspectionUnavailable, .overloaded, .rateLimited,
            .upstreamUnreachable, .upstreamInvalid, .upstreamTimeout, .upstreamRefused, .deadlineExceeded, .badRequest, .methodNotAllowed,
            .requestTimeout, .bodyTooLarge, .targetTooLong, .expectationFailed, .headTooLarge, .codingNotSupported, .versionNotSupported:
            nil
        }
    }

    /// Short and true, and the same for every cause a client cannot act on, so that an answer tells a forger nothing.
    public var bearerErrorDescription: String? {
        switch bearerError {
        case nil: nil
        case .invalidRequest: "The credentials are malformed"
        case .invalidToken: self == .expired ? "The access token expired" : "The access token is not valid for this API"
        case .insufficientScope: "The access token does not grant what this request needs"
        case .insufficientUserAuthentication, .insufficientClaims: "A more recent or stronger authentication is required"
        }
    }

    /// Whether what follows on the connection can still be told apart: after these it is closed.
    public var endsConnection: Bool {
        switch self {
        case .badRequest, .methodNotAllowed, .requestTimeout, .bodyTooLarge, .targetTooLong, .expectationFailed, .headTooLarge,
            .codingNotSupported, .versionNotSupported:
            true
        default: false
        }
    }
}

extension RejectionReason {
    /// The reason for a token that was refused.
    public init(_ rejection: TokenRejection) {
        self =
            switch rejection {
            case .malformed: .malformed
            case .opaqueNotSupported: .opaqueNotSupported
            case .algorithmNotAllowed: .algorithmNotAllowed
            case .typeMismatch: .typeMismatch
            case .unsupportedHeader: .unsupportedHeader
            case .unknownKeyID: .unknownKeyID
            case .badSignature: .badSignature
            case .verificationUnavailable: .keysUnavailable
            case .issuerMismatch: .issuerMismatch
            case .audienceMismatch: .audienceMismatch
            case .notAccessToken: .notAccessToken
            case .expired: .expired
            case .notYetValid: .notYetValid
            case .authTimeInvalid: .authTimeInvalid
            case .authenticationTooOld: .authenticationTooOld
            case .tenantMismatch: .tenantMismatch
            case .tenantNotAllowed: .tenantNotAllowed
            case .keyIssuerMismatch: .keyIssuerMismatch
            case .policyNotAllowed: .policyNotAllowed
            case .versionNotAllowed: .versionNotAllowed
            case .clientNotAllowed: .clientNotAllowed
            case .foreignResource: .foreignResource
            case .inactive: .inactive
            case .subjectInvalid: .subjectInvalid
            case .boundToken: .boundToken
            case .claimInvalid: .claimInvalid
            }
    }
}
