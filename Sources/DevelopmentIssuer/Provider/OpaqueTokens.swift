import ProviderFixtures
import StrictJSON

/// Issued opaque tokens and their introspection responses (RFC 7662 §2.2).
struct OpaqueTokens: Sendable {
    private var claims: [String: OpaqueTokenClaims] = [:]
    /// The oldest first.
    private var order: [String] = []

    /// The most tokens kept; beyond that the oldest is dropped and becomes inactive.
    static let most = 1000

    /// Makes a token: letters and digits, no dots.
    mutating func issue(_ tokenClaims: OpaqueTokenClaims) -> String {
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        let token = String((0..<43).compactMap { _ in alphabet.randomElement() })
        claims[token] = tokenClaims
        order.append(token)
        if order.count > Self.most { claims[order.removeFirst()] = nil }
        return token
    }

    /// Nil for a token that is not known or has expired; a JWT is never known.
    func claims(of token: String, at now: Int) -> OpaqueTokenClaims? {
        claims[token].flatMap { claims in now < claims.expiresAt ? claims : nil }
    }
}

/// Claims of an opaque token.
struct OpaqueTokenClaims: Sendable {
    let issuer: String
    let client: String
    let subject: String
    let scopes: [String]
    let audiences: [String]
    /// Seconds since 1970.
    let issuedAt: Int
    let expiresAt: Int
    /// More members, or others in the place of these.
    let changes: JSONObjectPatch

    /// The answer of the introspection endpoint.
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
