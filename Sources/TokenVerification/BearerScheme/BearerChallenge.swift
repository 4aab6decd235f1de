import JOSE
import StrictJSON

/// The error codes of a Bearer challenge (RFC 6750 §3.1, RFC 9470 §3).
public enum BearerError: String, Sendable, CaseIterable {
    case invalidRequest = "invalid_request"
    case invalidToken = "invalid_token"
    case insufficientScope = "insufficient_scope"
    case insufficientUserAuthentication = "insufficient_user_authentication"
    /// Entra's: the token lacks claims that the client can ask for.
    case insufficientClaims = "insufficient_claims"
}

/// One `Bearer` challenge for a `WWW-Authenticate` field (RFC 6750 §3, RFC 9110 §11.6.1).
///
/// Every value is written quoted. Clients in the field split challenges on commas and equals signs, so values that are
/// prose (`realm`, `error_description`) lose those characters, and everything outside visible ASCII, when they are set.
public struct BearerChallenge: Sendable, Hashable {
    public let realm: String
    public var error: BearerError?
    public var errorDescription: String?
    /// The scopes that would have been enough, space-separated (RFC 6750 §3).
    public var scope: String?
    /// The greatest acceptable age of the authentication, in seconds (RFC 9470 §3).
    public var maxAge: Int?
    /// Acceptable authentication context classes, space-separated (RFC 9470 §3).
    public var acrValues: String?
    /// The URL of the protected resource metadata (RFC 9728 §5.1).
    public var resourceMetadata: String?
    /// Where a client asks for other claims, and what it sends there: Entra's claims challenge.
    private(set) var claimsRequest: ClaimsRequest?

    struct ClaimsRequest: Sendable, Hashable {
        let authorizationURI: String
        /// JSON in base64 of the standard alphabet with padding, which is what clients of this challenge decode.
        let claims: String
    }

    /// Entra's claims challenge for an authentication context. The realm may be empty; it is the tenant of the authorisation URI.
    public init(realm: String, authorizationURI: String, requestingContextClass contextClass: String) {
        self.init(realm: realm, error: .insufficientClaims)
        claimsRequest = ClaimsRequest(authorizationURI: authorizationURI, claims: Self.claims(contextClass))
    }

    private static func claims(_ contextClass: String) -> String {
        var bytes: [UInt8] = []
        var json = JSONObjectWriter()
        json.beginObject(into: &bytes)
        json.beginObject("access_token", into: &bytes)
        json.beginObject("acrs", into: &bytes)
        json.member("essential", boolean: true, into: &bytes)
        json.member("value", string: contextClass, into: &bytes)
        for _ in 0..<3 { json.end(into: &bytes) }
        let text = Base64URL.encode(bytes).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        return String(text) + String(repeating: "=", count: (4 - text.count % 4) % 4)
    }

    public init(realm: String, error: BearerError? = nil, errorDescription: String? = nil) {
        self.realm = Self.prose(realm)
        self.error = error
        self.errorDescription = errorDescription.map(Self.prose)
    }

    /// The field value, for example `Bearer realm="orders", error="invalid_token"`.
    public var fieldValue: String {
        var parameters = [("realm", realm)]
        if let claimsRequest { parameters.append(("authorization_uri", Self.quotable(claimsRequest.authorizationURI))) }
        if let error { parameters.append(("error", error.rawValue)) }
        if let errorDescription { parameters.append(("error_description", errorDescription)) }
        if let claimsRequest { parameters.append(("claims", claimsRequest.claims)) }
        if let scope { parameters.append(("scope", Self.quotable(scope))) }
        if let maxAge { parameters.append(("max_age", String(maxAge))) }
        if let acrValues { parameters.append(("acr_values", Self.quotable(acrValues))) }
        if let resourceMetadata { parameters.append(("resource_metadata", Self.quotable(resourceMetadata))) }
        return "Bearer " + parameters.map { "\($0.0)=\"\($0.1)\"" }.joined(separator: ", ")
    }

    /// Visible ASCII and spaces without the characters that naive challenge parsers trip over.
    static func prose(_ text: String) -> String {
        String(String.UnicodeScalarView(quotable(text).unicodeScalars.filter { $0 != "," && $0 != "=" }))
    }

    /// What may stand inside a quoted string without an escape.
    static func quotable(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { (0x20...0x7E).contains($0.value) && $0 != "\"" && $0 != "\\" }))
    }
}
