import KeySets
import TokenIntrospection

/// Reason why an introspection request failed. `description` is for operators, and contains neither token nor secret.
public enum IntrospectionFailure: Error, Sendable, Hashable {
    /// The endpoint could not be reached, or its answer could not be read.
    case exchange(KeySetFetchFailure)
    /// Status 401 or 403: the issuer does not accept our own client credentials, regardless of the token (RFC 7662
    /// §2.3).
    case clientRefused(url: String, status: Int)
    /// Status 200, but the body is not an introspection answer.
    case answerRefused(url: String, IntrospectionResponseRejection)
    case secretFileUnusable(path: String, reason: String)
    /// The configuration file does not name the endpoint, and the issuer's metadata could not be read.
    case endpointNotLearnt(KeySetFetchFailure)
    /// The configuration file does not name the endpoint, and the issuer's metadata does not name it either.
    case endpointNotNamed(source: String, IntrospectionEndpointRejection)
}

extension IntrospectionFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .exchange(let failure): failure.description
        case .clientRefused(let url, let status):
            "\(url) answered \(status): the issuer refused our client credentials; check client_id and client_secret_file"
                + (status == 403 ? ", and whether a firewall in front of it rejects tokens" : "")
        case .answerRefused(let url, .notJSONObject):
            "\(url) answered with something that is not a JSON object in UTF-8"
        case .secretFileUnusable(let path, let reason): "the client secret in \(path) cannot be used: \(reason)"
        case .endpointNotLearnt(let failure):
            "the introspection endpoint is not known, because the issuer's metadata was not read: \(failure)"
        case .endpointNotNamed(let source, let rejection):
            "the metadata of \(source) \(rejection.explained); write the issuer's endpoint as `endpoint` below `introspect`"
        }
    }
}

extension IntrospectionFailure {
    /// Cause of the failure for the circuit breaker. Only failures that no token can cause count towards a pause.
    ///
    /// Untrusted clients choose tokens. For some tokens a firewall may answer 403 or close the connection. An issuer
    /// may fail with 400, 413, 422 or 500, answer with nonsense, or be slow. So only these failures count: no
    /// connection could be made; 401, which is about our own credentials; and the statuses of overloaded or unavailable
    /// servers: 429, 502, 503, 504. A failure to learn the endpoint counts too.
    var fault: IntrospectionFault {
        switch self {
        case .clientRefused(_, 401): .issuer()
        case .exchange(.hostNotResolved), .exchange(.connectionFailed), .exchange(.certificateRefused): .issuer()
        case .exchange(.unexpectedStatus(_, 429, let retryAfter)),
            .exchange(.unexpectedStatus(_, 502...504, let retryAfter)):
            .issuer(retryAfter: retryAfter)
        // Metadata does not depend on any token.
        case .endpointNotLearnt(let failure): .issuer(retryAfter: failure.retryAfter)
        case .endpointNotNamed: .issuer()
        case .exchange, .clientRefused, .answerRefused, .secretFileUnusable: .other
        }
    }
}

extension IntrospectionEndpointRejection {
    fileprivate var explained: String {
        switch self {
        case .missing: "has no introspection_endpoint"
        case .invalid: "has an introspection_endpoint that is not an http or https URL"
        case .notHTTPS(let found): "has the introspection_endpoint \(found.quoted), which is not https"
        }
    }
}
