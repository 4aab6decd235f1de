import ProviderFixtures
import StrictJSON

/// Changes of a sample's payload that a client asks for, in the claims that the provider uses for them.
struct SampleChanges {
    let provider: ProviderName
    let request: SampleRequest
    /// Seconds since 1970.
    let now: Int

    /// Age of an expired token at its expiry, in seconds.
    private static let ageOfExpiredTokens = 3600

    /// The wishes, without the extra claims.
    func patch() throws(TokenEndpointError) -> JSONObjectPatch {
        let scopes = try scopes()
        let text = JSONObjectWriter.text { writer, bytes in
            if let scopes { write(scopes, with: &writer, into: &bytes) }
            writer.audiences(request.audiences, into: &bytes)
            if let lifetime = request.lifetime { write(lifetime: lifetime, with: &writer, into: &bytes) }
        }
        return JSONObjectPatch(set: try? JSONDocument(parsing: Array(text.utf8), limits: .claimsSet).root)
    }

    /// The scopes that the token has of those that were asked for; nil if none were.
    private func scopes() throws(TokenEndpointError) -> [String]? {
        guard let asked = request.scopes, let naming = provider.scopeNaming else { return request.scopes }
        // As the providers do, whose clients must name the API too.
        if let unknown = asked.first(where: { scope in !naming.isKnown(scope) }) {
            throw .unknownScope(unknown, prefix: naming.prefix)
        }
        return naming.inToken(asked)
    }

    private func write(_ scopes: [String], with writer: inout JSONObjectWriter, into bytes: inout [UInt8]) {
        for claim in provider.scopeClaims {
            switch claim {
            case .text(let name): writer.member(name, string: scopes.joined(separator: " "), into: &bytes)
            case .list(let name): writer.member(name, strings: scopes, into: &bytes)
            }
        }
    }

    private func write(lifetime: Int, with writer: inout JSONObjectWriter, into bytes: inout [UInt8]) {
        writer.member("exp", integer: now + lifetime, into: &bytes)
        if lifetime <= 0 { writer.member("iat", integer: now + lifetime - Self.ageOfExpiredTokens, into: &bytes) }
    }
}
