import HTTPTypes
import Hummingbird
import StrictJSON

/// Reason why the token endpoint issues no token (RFC 6749 §5.2, RFC 8707 §2).
enum TokenEndpointError: Error, Hashable, Sendable {
    case notAForm
    case malformedForm
    case repeatedParameter(String)
    case missingParameter(String)
    case malformedClientCredentials
    case clientMissing
    case unsupportedGrantType
    /// The request has neither `resource` nor `audience`. A gateway would reject a token without an audience.
    case targetMissing
    /// A `resource` is not an absolute URI, or has a fragment.
    case malformedResource
    case malformedScope
    /// A scope has a name that clients of the provider cannot request.
    case unknownScope(String, prefix: String)
    case lifetimeOutOfRange
    case unknownAlgorithm
    case claimsNotJSONObject
    /// No sample of the provider has that `id`.
    case unknownSample(String)
    /// The request names no client, or its secret is not the one that this server requires.
    case clientRefused
    case keyUnavailable

    var code: String {
        switch self {
        case .notAForm, .malformedForm, .repeatedParameter, .missingParameter, .lifetimeOutOfRange, .unknownAlgorithm,
            .claimsNotJSONObject,
            .unknownSample:
            "invalid_request"
        case .malformedClientCredentials, .clientMissing, .clientRefused: "invalid_client"
        case .unsupportedGrantType: "unsupported_grant_type"
        case .targetMissing, .malformedResource: "invalid_target"
        case .malformedScope, .unknownScope: "invalid_scope"
        case .keyUnavailable: "server_error"
        }
    }

    var status: HTTPResponse.Status {
        switch self {
        case .malformedClientCredentials, .clientRefused: .unauthorized
        case .keyUnavailable: .internalServerError
        default: .badRequest
        }
    }

    var description: String {
        switch self {
        case .notAForm: "The body must be application/x-www-form-urlencoded and at most 16 KiB"
        case .malformedForm: "The form is not well-formed"
        case .repeatedParameter(let name): "The parameter \(name) is repeated"
        case .missingParameter(let name): "The parameter \(name) is missing"
        case .malformedClientCredentials: "The client credentials are malformed"
        case .clientMissing: "The parameter client_id is missing"
        case .unsupportedGrantType: "The only grant type is client_credentials"
        case .targetMissing: "Name the API in the parameter resource or audience"
        case .malformedResource: "A resource must be an absolute URI without a fragment"
        case .malformedScope: "A scope has a character that scopes may not have"
        case .unknownScope(let name, let prefix): "There is no scope \(name); clients ask for \(prefix)NAME"
        case .lifetimeOutOfRange:
            "The parameter expires_in must be a whole number of seconds, at most ten years either way"
        case .unknownAlgorithm: "The algorithm must be one of RS256, PS256, ES256, ES384, EdDSA"
        case .claimsNotJSONObject: "The parameter claims must be one JSON object"
        case .unknownSample(let id): "There is no sample \(id); GET /samples lists them"
        case .clientRefused: "The client must name itself, with the secret this server was started with"
        case .keyUnavailable: "No signing key could be made"
        }
    }
}

extension TokenEndpointError {
    init(_ failure: MintingFailure) {
        self =
            switch failure {
            case .claimsNotJSONObject: .claimsNotJSONObject
            case .keyUnavailable: .keyUnavailable
            }
    }
}

extension TokenEndpointError {
    var response: Response {
        let text = JSONObjectWriter.text { writer, bytes in
            writer.member("error", string: code, into: &bytes)
            writer.member("error_description", string: description, into: &bytes)
        }
        var response = Response.json(status, text)
        if status == .unauthorized { response.headers[.wwwAuthenticate] = #"Basic realm="development issuer""# }
        return response
    }
}
