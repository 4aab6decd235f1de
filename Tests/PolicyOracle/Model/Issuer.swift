/// An issuer without a profile, as in the file. Nil means that the key is absent.
public struct Issuer: Hashable, Sendable {
    public enum TokenType: Hashable, Sendable {
        case any
        case accessTokenJWT
        /// The claim that marks access tokens, and its values.
        case claim(String, [ClaimDemand.Value])
    }

    public var name: String
    public var identifier: String
    public var tokenType: TokenType
    public var algorithms: [String]?
    /// Leeway in seconds.
    public var leeway: Int?
    /// Maximum lifetime in seconds.
    public var maxLifetime: Int?
    public var allowsMissingKeyID = false
    public var deniedKeys: [String] = []
    public var scopeClaims: [String]?
    public var scopeSeparator: String?
    public var roleClaims: [String]?
    public var subjectClaims: [String]?
    public var clientClaims: [String]?
    public var clients: [String]?
    /// Clients of `without_audience`.
    public var clientsWithoutAudience: [String] = []
    public var require: [Part] = []

    public init(_ name: String, _ identifier: String, _ tokenType: TokenType) {
        self.name = name
        self.identifier = identifier
        self.tokenType = tokenType
    }
}

/// Defaults of `docs/configuration.md`.
extension Issuer {
    var acceptedAlgorithms: [String] { algorithms ?? ["RS256", "ES256"] }
    public var toleratedSeconds: Int { leeway ?? 60 }
    public var scopePaths: [ClaimPath] { (scopeClaims ?? ["scope", "scp"]).map(ClaimPath.init) }
    public var rolePaths: [ClaimPath] { (roleClaims ?? ["roles"]).map(ClaimPath.init) }
    public var subjectPaths: [ClaimPath] { (subjectClaims ?? ["sub"]).map(ClaimPath.init) }
    public var clientPaths: [ClaimPath] { (clientClaims ?? ["client_id", "azp", "cid"]).map(ClaimPath.init) }
}
