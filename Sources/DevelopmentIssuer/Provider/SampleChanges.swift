import ProviderFixtures
import StrictJSON

/// Changes that a client requests to a sample's payload, made in the claims that the provider uses.
struct SampleChanges {
    let provider: ProviderName
    let request: SampleRequest
    /// Current time, in seconds since 1970.
    let now: Int

    /// Number of seconds from issue to expiry, for a token that is issued as already expired.
    private static let ageOfExpiredTokens = 3600

    /// The requested changes, without the extra claims.
    func patch() throws(TokenEndpointError) -> JSONObjectPatch {
        let scopes = try scopes()
        let text = JSONObjectWriter.text { writer, bytes in
            if let scopes { write(scopes, with: &writer, into: &bytes) }
            writer.audiences(request.audiences, into: &bytes)
            if let lifetime = request.lifetime { write(lifetime: lifetime, with: &writer, into: &bytes) }
        }
        return JSONObjectPatch(set: try? JSONDocument(parsing: Array(text.utf8), limits: .claimsSet).root)
    }

    /// Change of a header that repeats `exp`: it gets the time of the payload, if the sample has the same in both.
    /// Nothing else is changed.
    func headerPatch(of sample: SampleToken) -> JSONObjectPatch {
        guard let repeated = sample.header(issuedAt: now)[member: "exp"]?.integer else { return JSONObjectPatch() }
        let text = JSONObjectWriter.text { writer, bytes in
            writer.member(
                "exp", integer: request.lifetime.map { Int64(now + $0) } ?? repeated, into: &bytes)
        }
        return JSONObjectPatch(set: try? JSONDocument(parsing: Array(text.utf8), limits: .joseHeader).root)
    }

    /// Scopes of the token, by the names that tokens contain. Nil if none were requested.
    private func scopes() throws(TokenEndpointError) -> [String]? {
        guard let asked = request.scopes, let naming = provider.scopeNaming else { return request.scopes }
        // The real providers also reject scopes without the API's prefix.
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
