/// An issuer without a profile, as in the file. Nil means that the key is absent.
public struct Issuer: Hashable, Sendable {
    public enum TokenType: Hashable, Sendable {
        case any
        case accessTokenJWT
        /// The claim that marks access tokens, and its values.
        case claim(String, [ClaimDemand.Value])
    }

    public enum Realms: Hashable, Sendable {
        case listed([String])
        case glob(String)
    }

    public var name: String
    /// Value of `issuer`. With realms, it has `{realm}` as a segment.
    public var identifier: String
    public var realms: Realms?
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

extension Issuer {
    /// True if an `iss` is the issuer's, or that of one of its realms.
    func accepts(_ claim: JSON?) -> Bool {
        guard case .text(let text)? = claim else { return false }
        guard let realms else { return text.utf8.elementsEqual(identifier.utf8) }
        switch realms {
        case .listed(let names): return names.contains { self.identifier(of: $0).utf8.elementsEqual(text.utf8) }
        case .glob(let glob):
            // Each segment that the text has in place of the placeholder, tried as a name.
            let names = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
            return names.contains { name in
                Self.isRealm(name) && ClaimPattern(glob).matches(name)
                    && self.identifier(of: name).utf8.elementsEqual(text.utf8)
            }
        }
    }

    /// The `iss` of a realm.
    public func identifier(of realm: String) -> String { identifier.replacing("{realm}", with: realm) }

    private static func isRealm(_ name: String) -> Bool {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        guard let first = name.unicodeScalars.first, letters.unicodeScalars.contains(first) else { return false }
        return name.utf8.count <= 64 && name.unicodeScalars.allSatisfy { (letters + "._-").unicodeScalars.contains($0) }
    }
}
