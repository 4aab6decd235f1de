import ProviderFixtures
import StrictJSON

/// Issued opaque tokens and their introspection responses (RFC 7662 §2.2).
struct OpaqueTokens: Sendable {
    private var claims: [String: OpaqueTokenClaims] = [:]
    /// The tokens in the order of issue.
    private var order: [String] = []

    /// Maximum number of stored tokens. Beyond it the oldest is deleted, and thus becomes inactive.
    static let most = 1000

    /// Issues a token of letters and digits, without dots.
    mutating func issue(_ tokenClaims: OpaqueTokenClaims) -> String {
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        let token = String((0..<43).compactMap { _ in alphabet.randomElement() })
        claims[token] = tokenClaims
        order.append(token)
        if order.count > Self.most { claims[order.removeFirst()] = nil }
        return token
    }

    /// Finds the claims of a token. Nil if the token is unknown or has expired; a JWT is always unknown.
    func claims(of token: String, at now: Int) -> OpaqueTokenClaims? {
        claims[token].flatMap { claims in now < claims.expiresAt ? claims : nil }
    }
}

/// Claims of an opaque token, which its introspection response contains.
struct OpaqueTokenClaims: Sendable {
    let issuer: String
    let client: String
    let subject: String
    let scopes: [String]
    let audiences: [String]
    /// Time of issue, in seconds since 1970.
    let issuedAt: Int
    let expiresAt: Int
    /// Members that replace the others or are added to them.
    let changes: JSONObjectPatch

    /// Text of the introspection response.
    var introspection: String {
        let bytes = JSONObjectWriter.object { writer, bytes in
            writer.member("active", boolean: true, into: &bytes)
            writer.member("sub", string: subject, into: &bytes)
            writer.member("client_id", string: client, into: &bytes)
            writer.member("iat", integer: issuedAt, into: &bytes)
            writer.member("exp", integer: expiresAt, into: &bytes)
            writer.member("scope", string: scopes.joined(separator: " "), into: &bytes)
            writer.member("iss", string: issuer, into: &bytes)
            writer.audiences(audiences, into: &bytes)
            writer.member("token_type", string: "Bearer", into: &bytes)
        }
        guard let root = try? JSONDocument(parsing: bytes, limits: .document).root else { return #"{"active":false}"# }
        return String(decoding: changes.applied(to: root).serialized(), as: UTF8.self)
    }
}
