import FoundationEssentials

/// Reads a token request of the client credentials grant from its form (RFC 6749 §4.4.2).
///
/// Besides the standard parameters it reads `subject`, `expires_in`, `algorithm` and `claims`, which determine the
/// content of the token. The client's secret is not checked: this issuer grants every request.
struct TokenForm {
    private let parameters: FormParameters
    private let basicCredentials: String?

    /// Parameters that may be repeated (RFC 8707 §2).
    private static let repeatable: Set<String> = ["resource", "audience"]

    /// Parses a form.
    ///
    /// - Parameter authorization: value of the request's `Authorization` field, which may name the client instead of
    ///   the form.
    init(_ text: String, authorization: String?) throws(TokenEndpointError) {
        guard let parameters = FormParameters(text) else { throw .malformedForm }
        if let name = parameters.repeatedName(except: Self.repeatable) { throw .repeatedParameter(name) }
        self.parameters = parameters
        basicCredentials = authorization
    }

    func tokenRequest() throws(TokenEndpointError) -> TokenRequest {
        guard let grantType = parameters["grant_type"] else { throw .missingParameter("grant_type") }
        guard grantType == "client_credentials" else { throw .unsupportedGrantType }
        return TokenRequest(
            client: try client(), subject: parameters["subject"], audiences: try audiences(), scopes: try scopes(),
            lifetime: try lifetime(), extraClaims: parameters["claims"],
            algorithm: try parameters.choice("algorithm", else: TokenEndpointError.unknownAlgorithm),
        )
    }

    private func client() throws(TokenEndpointError) -> String {
        if let basicCredentials { return try ClientCredentials(basic: basicCredentials).client }
        guard let client = parameters["client_id"] else { throw .clientMissing }
        return client
    }

    private func audiences() throws(TokenEndpointError) -> [String] {
        let resources = parameters.values("resource")
        for resource in resources {
            guard let url = URLComponents(string: resource), url.scheme != nil, url.fragment == nil else {
                throw .malformedResource
            }
        }
        let audiences = resources + parameters.values("audience")
        guard !audiences.isEmpty else { throw .targetMissing }
        return audiences
    }

    private func scopes() throws(TokenEndpointError) -> [String] {
        try parameters.scopes() ?? []
    }

    private func lifetime() throws(TokenEndpointError) -> Duration {
        .seconds(try parameters.lifetime() ?? 3600)
    }
}
