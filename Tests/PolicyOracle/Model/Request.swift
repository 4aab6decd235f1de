/// A request, as far as it affects the answer.
public struct Request: Hashable, Sendable {
    public var method: String
    /// Host, possibly with a port.
    public var host: String
    /// Path without the query.
    public var path: String
    public var query: String?
    /// Content of `Authorization`.
    public var credentials: Credentials
    /// Content of `X-Token`.
    public var tokenField = Credentials.none
    /// Content of `X-Other`.
    public var otherField = Credentials.none
    /// Text before the token in `X-Token`.
    public var tokenFieldPrefix = ""

    public init(_ method: String, host: String = "localhost", _ path: String, _ credentials: Credentials = .none) {
        self.method = method
        self.host = host
        self.path = path
        self.credentials = credentials
    }

    /// True if the query has a token, whatever the case of its name.
    var hasTokenInQuery: Bool {
        (query ?? "").split(separator: "&").contains { $0.prefix { $0 != "=" }.lowercased() == "access_token" }
    }
}

/// Content of a header for credentials, after `Bearer` or the prefix.
public enum Credentials: Hashable, Sendable {
    /// The header is absent.
    case none
    case empty
    /// A scheme other than Bearer.
    case otherScheme
    /// A text that is not exactly one token.
    case malformed(String)
    /// The header is there twice.
    case twice
    /// A text that is no compact JWS.
    case text(String)
    case token(Token)
}

/// A token's header and claims, signed by a key of the issuer that it names.
public struct Token: Hashable, Sendable {
    public var header: [String: JSON]
    public var claims: [String: JSON]

    public init(header: [String: JSON], claims: [String: JSON]) {
        self.header = header
        self.claims = claims
    }
}
