/// The contents of a token; the development issuer issues it to anyone.
public struct TokenRequest: Sendable, Hashable {
    /// The `client_id`.
    public var client: String
    /// The `sub`; nil for the client itself, as in the client credentials grant (RFC 9068 §2.2).
    public var subject: String?
    /// The `aud`: one becomes a string, several an array, none leaves the claim out.
    public var audiences: [String]
    /// The `scope`; none leaves the claim out.
    public var scopes: [String]
    /// From now to `exp`. A negative one makes a token that has expired, issued an hour before.
    public var lifetime: Duration
    /// More claims, as the text of a JSON object; one named like a standard claim takes its place.
    public var extraClaims: String?
    /// Standard claims that are left out, by name.
    public var omittedClaims: Set<String>
    /// The header's `typ`; nil for none.
    public var type: String?
    /// Nil for the issuer's own.
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
    /// The issuer's key in use.
    case publishedKey
    /// An unpublished key under the key ID of the issuer's: a forgery.
    case impostor
    /// An unpublished key under an unpublished key ID.
    case unpublishedKey
}

/// Reason why a token could not be made.
public enum MintingFailure: Error, Hashable, Sendable {
    /// The extra claims are not the text of one JSON object.
    case claimsNotJSONObject
    /// The cryptographic library made no key.
    case keyUnavailable
}
