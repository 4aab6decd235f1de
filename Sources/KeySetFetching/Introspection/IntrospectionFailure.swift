import TokenIntrospection

/// Why a question about a token got no answer; `description` says it to an operator, and holds neither token nor secret.
public enum IntrospectionFailure: Error, Sendable, Hashable {
    /// The endpoint could not be reached, or its answer not be read.
    case exchange(KeySetFetchFailure)
    /// 401 or 403: the issuer does not accept our own credentials, whatever the token is (RFC 7662 §2.3).
    case clientRefused(url: String, status: Int)
    /// 200, but the body is no answer.
    case answerRefused(url: String, IntrospectionResponseRejection)
    case secretFileUnusable(path: String, reason: String)
}

extension IntrospectionFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .exchange(let failure): failure.description
        case .clientRefused(let url, let status):
            "\(url) answered \(status): the issuer refused our client credentials; check client_id and client_secret_file"
        case .answerRefused(let url, .notJSONObject): "\(url) answered with something that is not a JSON object in UTF-8"
        case .answerRefused(let url, .tooLarge(let limit)): "\(url) answered with more than the \(limit) bytes a claims set may have"
        case .secretFileUnusable(let path, let reason): "the client secret in \(path) cannot be used: \(reason)"
        }
    }
}

extension IntrospectionFailure {
    /// Whether the issuer is to be left alone after it.
    ///
    /// 400, 413 and 422 are about the token that was sent, and strangers choose tokens. The secret's file is our own.
    var fault: IntrospectionFault {
        switch self {
        case .exchange(.unexpectedStatus(_, 400, _)), .exchange(.unexpectedStatus(_, 413, _)), .exchange(.unexpectedStatus(_, 422, _)):
            .other
        case .exchange(let failure): .issuer(retryAfter: failure.retryAfter)
        case .clientRefused, .answerRefused: .issuer()
        case .secretFileUnusable: .other
        }
    }
}
