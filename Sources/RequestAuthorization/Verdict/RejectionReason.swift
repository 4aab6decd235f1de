import AccessControl
import HTTPMessages
import TokenVerification

/// Why a request was answered by Bearward itself: the closed list that access logs, metrics and `explain` share.
///
/// Related cases are an enum of their own, which has their names and the texts for clients.
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

    /// Its name in access logs, metrics and `explain`.
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

    /// The status code of gRPC that says the same; clients of gRPC read nothing else.
    public var grpcStatus: Int {
        // A deadline that was the client's own.
        self == .upstream(.deadlineExceeded) ? 4 : answerStatus.grpc
    }

    /// The challenge's error code; nil where the answer's challenge has none or there is no challenge.
    public var bearerError: BearerError? {
        switch self {
        case .credentials(let fault): fault.bearerError
        case .token(let rejection): rejection.bearerError
        case .policy(let denial): denial.bearerError
        case .routing, .gateway, .upstream, .message, .door, .preflight: nil
        }
    }

    /// Whether better credentials would change the answer, so that it carries a challenge.
    var hasChallenge: Bool {
        switch self {
        case .credentials, .token, .policy: true
        case .routing, .gateway, .upstream, .message, .door, .preflight: false
        }
    }

    /// Short and true, and the same for every cause that a client cannot act on, so that it tells a forger nothing.
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

    /// Whether it is the gateway's own judgement of who may do what, which a rule that is only observed does not
    /// enforce. A message that is wrong, a limit and the deny list refuse whatever the mode.
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

    /// Whether the next request on the connection can still be found: after these it is closed.
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
    /// The reason for a token that was refused. That libcrypto failed says nothing about the token.
    public init(_ rejection: TokenRejection) {
        self = rejection == .verificationUnavailable ? .gateway(.keysUnavailable) : .token(rejection)
    }
}

/// What is wrong with a request's credentials, before any token is looked at.
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

    /// None for a request without any (RFC 6750 §3).
    public var bearerError: BearerError? {
        switch self {
        case .missing: nil
        case .malformed, .multiple: .invalidRequest
        }
    }
}

/// No rule or resource covers the request, or none for the page that sends it.
public enum RoutingFault: String, Sendable, Hashable, CaseIterable {
    case noResource = "no_resource"
    case noRule = "no_rule"
    /// A page of this origin may not open a WebSocket here.
    case originRefused = "origin_refused"

    public var status: AnswerStatus {
        switch self {
        case .noResource: .notFound
        case .noRule, .originRefused: .forbidden
        }
    }
}

/// The gateway's own state.
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

/// What an upstream did not do, or not in time.
public enum UpstreamFault: String, Sendable, Hashable, CaseIterable {
    case unreachable = "upstream_unreachable"
    case invalid = "upstream_invalid"
    case timeout = "upstream_timeout"
    /// It says that it did not process the request, which cannot be sent again.
    case refused = "upstream_refused"
    /// Every target of the fleet is left out.
    case unavailable = "upstream_unavailable"
    /// The client's own deadline passed (`grpc-timeout`).
    case deadlineExceeded = "deadline_exceeded"

    public var status: AnswerStatus {
        switch self {
        case .unreachable, .invalid: .badGateway
        case .refused, .unavailable: .serviceUnavailable
        case .timeout, .deadlineExceeded: .gatewayTimeout
        }
    }
}

/// What is wrong between a door and the proxy that asks there.
public enum DoorFault: String, Sendable, Hashable, CaseIterable {
    /// The proxy does not state the request exactly once.
    case requestInvalid = "door_request_invalid"
    case untrusted = "door_untrusted"
    /// An answer of ours that the proxy would take for a permission.
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
    /// RFC 6750 §3.1, RFC 9470 §3.
    var status: AnswerStatus {
        switch self {
        case .invalidRequest: .badRequest
        case .invalidToken, .insufficientUserAuthentication, .insufficientClaims: .unauthorized
        case .insufficientScope: .forbidden
        }
    }
}
