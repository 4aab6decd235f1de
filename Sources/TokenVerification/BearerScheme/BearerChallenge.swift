import ByteWords
import JOSE
import StrictJSON

/// The error codes of a Bearer challenge (RFC 6750 §3.1, RFC 9470 §3).
public enum BearerError: String, Sendable, CaseIterable {
    case invalidRequest = "invalid_request"
    case invalidToken = "invalid_token"
    case insufficientScope = "insufficient_scope"
    case insufficientUserAuthentication = "insufficient_user_authentication"
    /// Entra's own error code: the token lacks claims that the client can request.
    case insufficientClaims = "insufficient_claims"
}

/// `Bearer` challenge for a `WWW-Authenticate` field (RFC 6750 §3, RFC 9110 §11.6.1).
///
/// Every value is written quoted. Real clients split challenges at commas and equals signs. So `realm` and
/// `error_description` lose these characters, and everything outside visible ASCII, when they are set.
public struct BearerChallenge: Sendable, Hashable {
    public let realm: String
    public var error: BearerError?
    public var errorDescription: String?
    /// Scopes that would permit the request, space-separated (RFC 6750 §3). Nil if the challenge states none.
    public var scope: String?
    /// The greatest acceptable age of the authentication, in seconds (RFC 9470 §3). Nil if the challenge states none.
    public var maxAge: Int?
    /// Acceptable authentication context classes, space-separated (RFC 9470 §3). Nil if the challenge states none.
    public var acrValues: String?
    /// The URL of the protected resource metadata (RFC 9728 §5.1). Nil if the challenge states none.
    public var resourceMetadata: String?
    /// Claims request for step-up: the `claims` value that the client must send when it asks for a token (Entra's
    /// claims challenge). Nil for any other challenge.
    private(set) var claimsRequest: ClaimsRequest?

    struct ClaimsRequest: Sendable, Hashable {
        let authorizationURI: String
        /// JSON in base64 of the standard alphabet with padding, as clients of this challenge decode it.
        let claims: String
    }

    /// Entra's claims challenge for an authentication context. The realm may be empty; it is the tenant of the
    /// authorisation URI.
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
    public var fieldValue: String { String(decoding: fieldBytes, as: UTF8.self) }

    /// The field value as bytes: visible ASCII and spaces.
    public var fieldBytes: [UInt8] {
        var value: [UInt8] = []
        value.reserveCapacity(320)
        value.append(contentsOf: "Bearer realm=\"".utf8)
        value.append(contentsOf: realm.utf8)
        // Each ends the member before.
        func add(_ beginning: String, _ text: String?) {
            guard let text else { return }
            value.append(contentsOf: beginning.utf8)
            value.append(contentsOf: text.utf8)
        }
        add("\", authorization_uri=\"", (claimsRequest?.authorizationURI).map(Self.quotable))
        add("\", error=\"", error?.rawValue)
        add("\", error_description=\"", errorDescription)
        add("\", claims=\"", claimsRequest?.claims)
        add("\", scope=\"", scope.map(Self.quotable))
        add("\", max_age=\"", maxAge.map { String($0) })
        add("\", acr_values=\"", acrValues.map(Self.quotable))
        add("\", resource_metadata=\"", resourceMetadata.map(Self.quotable))
        value.append(UInt8(ascii: "\""))
        return value
    }

    /// Removes everything except visible ASCII and spaces, and the commas and equals signs at which naive parsers split
    /// challenges.
    static func prose(_ text: String) -> String {
        text.removing { word in
            unquotable(in: word) | word.equal(to: UInt8(ascii: ",")) | word.equal(to: UInt8(ascii: "="))
        }
    }

    /// Removes the characters that need an escape inside a quoted string, and everything except visible ASCII and
    /// spaces.
    static func quotable(_ text: String) -> String {
        text.removing(unquotable(in:))
    }

    @inline(__always)
    private static func unquotable(in word: ByteWord) -> ByteMarks {
        word.outside(0x20...0x7E) | word.equal(to: UInt8(ascii: "\"")) | word.equal(to: UInt8(ascii: "\\"))
    }
}

extension String {
    /// Removes all bytes that `marks` marks. Usually there are none, and the text is returned as it is.
    @inline(__always)
    fileprivate func removing(_ marks: (ByteWord) -> ByteMarks) -> String {
        let bytes = utf8.span
        guard bytes.firstOffset(from: 0, filler: UInt8(ascii: " "), where: marks) < bytes.count else { return self }
        return String(decoding: utf8.filter { marks(ByteWord(repeating: $0)).isEmpty }, as: UTF8.self)
    }
}
