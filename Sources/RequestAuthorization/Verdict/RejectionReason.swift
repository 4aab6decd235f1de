import AccessControl
import HTTPMessages
import TokenVerification

/// Reason why Bearward itself answered a request: the closed list that access logs, metrics and `explain` share.
///
/// Related cases form an enum of their own, which has their names and the texts for clients.
public enum RejectionReason: Sendable, Hashable {
    case credentials(CredentialsFault)
    case token(TokenRejection)
    /// The token is valid, but not sufficient.
    case policy(Denial)
    case routing(RoutingFault)
    case gateway(GatewayFault)
    case upstream(UpstreamFault)
    case message(MessageFault)
    case door(DoorFault)
    case preflight(PreflightVerdict)

    /// The reason's name in access logs, metrics and `explain`.
    public var label: String {
        switch self {
        case .credentials(let fault): fault.rawValue
        case .token(let rejection): rejection.rawValue
        case .policy(let denial): denial.rawValue
        case .routing(let fault): fault.rawValue
        case .gateway(let fault): fault.rawValue
        case .upstream(let fault): fault.rawValue
        case .message(let fault): fault.rawValue
        case .door(let fault): fault.rawValue
        case .preflight(let verdict): verdict.rawValue
        }
    }

    public var answerStatus: AnswerStatus {
        switch self {
        case .credentials(let fault): fault.status
        case .token(let rejection): rejection.bearerError.status
        case .policy(let denial): denial.bearerError.status
        case .routing(let fault): fault.status
        case .gateway(let fault): fault.status
        case .upstream(let fault): fault.status
        case .message(let fault): fault.status
        case .door(let fault): fault.status
        case .preflight(let verdict): verdict.status
        }
    }

    /// The HTTP status code of the answer.
    public var status: Int { answerStatus.rawValue }

    /// The equivalent gRPC status code; gRPC clients read no other.
    public var grpcStatus: Int {
        // The client's own deadline passed.
        self == .upstream(.deadlineExceeded) ? 4 : answerStatus.grpc
    }

    /// The challenge's error code. Nil if the challenge has none, or there is no challenge.
    public var bearerError: BearerError? {
        switch self {
        case .credentials(let fault): fault.bearerError
        case .token(let rejection): rejection.bearerError
        case .policy(let denial): denial.bearerError
        case .routing, .gateway, .upstream, .message, .door, .preflight: nil
        }
    }

    /// True if better credentials would change the outcome, so that the response carries a challenge.
    var hasChallenge: Bool {
        switch self {
        case .credentials, .token, .policy: true
        case .routing, .gateway, .upstream, .message, .door, .preflight: false
        }
    }

    /// Short text for the client. It is the same for every cause that a client cannot act on, so that it reveals
    /// nothing to a forger. Nil if ``bearerError`` is nil.
    public var bearerErrorDescription: String? {
        switch bearerError {
        case nil: nil
        case .invalidRequest: "The credentials are malformed"
        case .invalidToken:
            self == .token(.expired) ? "The access token expired" : "The access token is not valid for this API"
        case .insufficientScope: "The access token does not grant what this request needs"
        case .insufficientUserAuthentication, .insufficientClaims:
            "A more recent or stronger authentication is required"
        }
    }

    /// True if the reason is the gateway's own verdict on access, which a rule that is only observed does not enforce.
    /// Malformed messages, limits and the deny list reject in every mode.
    public var isSuspendable: Bool {
        switch self {
        case .credentials(let fault): fault == .missing
        case .token(let rejection): rejection != .denied
        case .policy: true
        case .routing(let fault): fault == .noRule
        case .gateway(let fault):
            fault == .keysUnavailable || fault == .keyNotAsked || fault == .introspectionUnavailable
        case .upstream, .message, .door, .preflight: false
        }
    }

    /// True if the next request on the connection cannot be located, so the connection is closed.
    public var endsConnection: Bool {
        if case .message = self { true } else { false }
    }
}

extension RejectionReason: CaseIterable {
    public static var allCases: [RejectionReason] {
        CredentialsFault.allCases.map(RejectionReason.credentials)
            + TokenRejection.allCases.filter { $0 != .verificationUnavailable }.map(RejectionReason.token)
            + Denial.allCases.map(RejectionReason.policy) + RoutingFault.allCases.map(RejectionReason.routing)
            + GatewayFault.allCases.map(RejectionReason.gateway) + UpstreamFault.allCases.map(RejectionReason.upstream)
            + MessageFault.allCases.map(RejectionReason.message) + DoorFault.allCases.map(RejectionReason.door)
            + PreflightVerdict.allCases.map(RejectionReason.preflight)
    }
}

extension RejectionReason {
    /// Creates the reason for a rejected token. A failure of libcrypto says nothing about the token, so it becomes
    /// `keysUnavailable`.
    public init(_ rejection: TokenRejection) {
        self = rejection == .verificationUnavailable ? .gateway(.keysUnavailable) : .token(rejection)
    }
}

/// Fault of a request's credentials, before any token is parsed.
public enum CredentialsFault: String, Sendable, Hashable, CaseIterable {
    case missing = "missing_credentials"
    case malformed = "malformed_credentials"
    case multiple = "multiple_credentials"

    public var status: AnswerStatus {
        switch self {
        case .missing: .unauthorized
        case .malformed, .multiple: .badRequest
        }
    }

    /// The challenge's error code. Nil for a request without credentials (RFC 6750 §3).
    public var bearerError: BearerError? {
        switch self {
        case .missing: nil
        case .malformed, .multiple: .invalidRequest
        }
    }
}

/// The request matches no resource or no rule, comes from a page that may not send it, or is for what is in
/// maintenance.
public enum RoutingFault: String, Sendable, Hashable, CaseIterable {
    case noResource = "no_resource"
    case noRule = "no_rule"
    /// A page of this origin may not open a WebSocket here.
    case originRefused = "origin_refused"
    /// The resource or the rule is in maintenance.
    case maintenance

    public var status: AnswerStatus {
        switch self {
        case .noResource: .notFound
        case .noRule, .originRefused: .forbidden
        case .maintenance: .serviceUnavailable
        }
    }
}

/// Reason in the gateway's own state, for example missing keys or a limit.
public enum GatewayFault: String, Sendable, Hashable, CaseIterable {
    case keysUnavailable = "keys_unavailable"
    case keyNotAsked = "key_not_asked"
    case introspectionUnavailable = "introspection_unavailable"
    case overloaded
    case rateLimited = "rate_limited"
    case quotaExceeded = "quota_exceeded"
    case quotaUnavailable = "quota_unavailable"

    public var status: AnswerStatus {
        switch self {
        case .keysUnavailable, .keyNotAsked, .introspectionUnavailable, .overloaded, .quotaUnavailable:
            .serviceUnavailable
        case .rateLimited, .quotaExceeded: .tooManyRequests
        }
    }
}

/// Failure of an upstream to answer, or to answer in time.
public enum UpstreamFault: String, Sendable, Hashable, CaseIterable {
    case unreachable = "upstream_unreachable"
    case invalid = "upstream_invalid"
    case timeout = "upstream_timeout"
    /// The upstream says that it did not process the request, and the request cannot be sent again.
    case refused = "upstream_refused"
    /// Every target of the upstream is out of rotation.
    case unavailable = "upstream_unavailable"
    /// The gRPC client's own deadline passed (`grpc-timeout`).
    case deadlineExceeded = "deadline_exceeded"

    public var status: AnswerStatus {
        switch self {
        case .unreachable, .invalid: .badGateway
        case .refused, .unavailable: .serviceUnavailable
        case .timeout, .deadlineExceeded: .gatewayTimeout
        }
    }
}

/// Fault between a door and the forward auth proxy that asks there.
public enum DoorFault: String, Sendable, Hashable, CaseIterable {
    /// The proxy does not state the request exactly once.
    case requestInvalid = "door_request_invalid"
    case untrusted = "door_untrusted"
    /// The proxy would mistake this answer of ours for a permission.
    case cannotAnswer = "door_cannot_answer"

    public var status: AnswerStatus {
        switch self {
        case .requestInvalid: .badRequest
        case .untrusted: .forbidden
        case .cannotAnswer: .notFound
        }
    }
}

extension BearerError {
    /// HTTP status of the error code (RFC 6750 §3.1, RFC 9470 §3).
    var status: AnswerStatus {
        switch self {
        case .invalidRequest: .badRequest
        case .invalidToken, .insufficientUserAuthentication, .insufficientClaims: .unauthorized
        case .insufficientScope: .forbidden
        }
    }
}
