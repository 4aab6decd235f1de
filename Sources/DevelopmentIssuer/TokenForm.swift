import Foundation

/// Reads a token request from the form of the client credentials grant (RFC 6749 §4.4.2).
///
/// Beside the standard parameters it knows `subject`, `expires_in`, `algorithm` and `claims`, by which a developer says what shall be in the
/// token. A client's secret is not checked: this issuer gives everybody what they ask for.
struct TokenForm {
    private let parameters: FormParameters
    private let basicCredentials: String?

    /// Parameters that may stand more than once (RFC 8707 §2).
    private static let repeatable: Set<String> = ["resource", "audience"]

    /// - Parameter authorization: the request's `Authorization` field, which may name the client instead of the form.
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
            lifetime: try lifetime(), extraClaims: parameters["claims"], algorithm: try algorithm(),
        )
    }

    private func client() throws(TokenEndpointError) -> String {
        if let basicCredentials { return try Self.client(inBasic: basicCredentials) }
        guard let client = parameters["client_id"] else { throw .clientMissing }
        return client
    }

    /// The user name of Basic credentials, which is form-encoded once more (RFC 6749 §2.3.1).
    private static func client(inBasic field: String) throws(TokenEndpointError) -> String {
        let words = field.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "basic", let decoded = Data(base64Encoded: String(words[1])),
            let pair = String(data: decoded, encoding: .utf8), let colon = pair.firstIndex(of: ":"),
            let client = FormParameters.decode(pair[..<colon]), !client.isEmpty
        else { throw .malformedClientCredentials }
        return client
    }

    private func audiences() throws(TokenEndpointError) -> [String] {
        let resources = parameters.values("resource")
        for resource in resources {
            guard let url = URLComponents(string: resource), url.scheme != nil, url.fragment == nil else { throw .malformedResource }
        }
        let audiences = resources + parameters.values("audience")
        guard !audiences.isEmpty else { throw .targetMissing }
        return audiences
    }

    private func scopes() throws(TokenEndpointError) -> [String] {
        let scopes = (parameters["scope"] ?? "").split(separator: " ").map(String.init)
        guard scopes.allSatisfy(Self.isScopeToken) else { throw .malformedScope }
        return scopes
    }

    /// Whether every character is an NQCHAR (RFC 6749 §3.3).
    private static func isScopeToken(_ scope: String) -> Bool {
        scope.utf8.allSatisfy { byte in (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") }
    }

    private func lifetime() throws(TokenEndpointError) -> Duration {
        guard let text = parameters["expires_in"] else { return .seconds(3600) }
        let tenYears = 315_360_000
        guard let seconds = Int(text), (-tenYears...tenYears).contains(seconds) else { throw .lifetimeOutOfRange }
        return .seconds(seconds)
    }

    private func algorithm() throws(TokenEndpointError) -> DevelopmentAlgorithm? {
        guard let name = parameters["algorithm"] else { return nil }
        guard let algorithm = DevelopmentAlgorithm(rawValue: name) else { throw .unknownAlgorithm }
        return algorithm
    }
}
