/// Contents of a token that the development issuer makes, for anyone.
public struct TokenRequest: Sendable, Hashable {
    /// Value of `client_id`.
    public var client: String
    /// Value of `sub`. Nil for the client itself, as in the client credentials grant (RFC 9068 §2.2).
    public var subject: String?
    /// Values of `aud`: one becomes a text, several become an array. Empty omits the claim.
    public var audiences: [String]
    /// Scopes in `scope`. Empty omits the claim.
    public var scopes: [String]
    /// Time from now to `exp`. Negative for a token that has expired and was issued an hour before that.
    public var lifetime: Duration
    /// Additional claims, as the text of a JSON object. They override standard claims of the same name. Nil adds none.
    public var extraClaims: String?
    /// Names of standard claims to omit.
    public var omittedClaims: Set<String>
    /// Value of `typ` in the header. Nil omits it.
    public var type: String?
    /// Signature algorithm. Nil for the issuer's own.
    public var algorithm: DevelopmentAlgorithm?
    public var signer: TokenSigner

    public init(
        client: String = "sample-client", subject: String? = nil, audiences: [String] = [], scopes: [String] = [],
        lifetime: Duration = .seconds(3600), extraClaims: String? = nil, omittedClaims: Set<String> = [],
        type: String? = "at+jwt",
        algorithm: DevelopmentAlgorithm? = nil, signer: TokenSigner = .publishedKey,
    ) {
        self.client = client
        self.subject = subject
        self.audiences = audiences
        self.scopes = scopes
        self.lifetime = lifetime
        self.extraClaims = extraClaims
        self.omittedClaims = omittedClaims
        self.type = type
        self.algorithm = algorithm
        self.signer = signer
    }
}

/// Key that signs a token.
public enum TokenSigner: Sendable, Hashable {
    /// The issuer's current key.
    case publishedKey
    /// An unpublished key with the key ID of a published one: a forgery.
    case impostor
    /// An unpublished key with an unpublished key ID.
    case unpublishedKey
}

/// Reason why a token could not be made.
public enum MintingFailure: Error, Hashable, Sendable {
    /// The extra claims are not the text of one JSON object.
    case claimsNotJSONObject
    /// The cryptographic library did not generate a key.
    case keyUnavailable
}
