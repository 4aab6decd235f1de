import AccessControl
import AssumedTokens
import ConfigurationFile
import IssuerProfiles
import RequestAuthorization
import TokenVerification

/// Makes the tokens that tests state, unsigned.
struct TestTokens {
    let issuers: IndexedBy<IssuerIndex, TrustedIssuer>
    let resources: IndexedBy<ResourceIndex, ProtectedResource>

    /// Makes the token of a test, and names the issuer whose key counts as its signer. The text is nil if the request
    /// has no token.
    ///
    /// - Parameter resource: resource of the request. Its audience is the token's `aud` unless the test states another.
    func token(
        of test: StatedTest, for resource: ResourceIndex?, at time: NumericDate
    ) -> (text: String?, signer: AssumedAuthorizer.Signer) {
        switch test.token {
        case .none: return (nil, .named)
        case .bytes(let text): return (text, .named)
        case .claims(let issuer, let header, let claims):
            let text = token(of: issuer, StatedObject(header), StatedObject(claims), resource, time)
            return (text, .issuer(issuer))
        case .sample(let name, let issuer, let headerChanges, let claimChanges):
            guard let sample = ProviderToken.named(name) else { return (nil, .named) }
            var header = sample.header(issuedAt: Int64(time.seconds.rounded(.down)))
            var claims = sample.claims(issuedAt: Int64(time.seconds.rounded(.down)))
            guard let issuer else {
                header.set(headerChanges)
                claims.set(claimChanges)
                return (AssumedToken(header: header.json, claims: claims.json).compact, .named)
            }
            header.remove(["alg", "kid", "iss", "signer", "client", "exp"])
            claims.remove(["iss", "aud", "tid"])
            header.set(headerChanges)
            claims.set(claimChanges)
            return (token(of: issuer, header, claims, resource, time), .issuer(issuer))
        }
    }

    private func token(
        of index: IssuerIndex, _ header: StatedObject, _ claims: StatedObject, _ resource: ResourceIndex?,
        _ time: NumericDate
    ) -> String? {
        guard let issuer = issuers[index] else { return nil }
        let accepted = resource.flatMap { resources[$0]?.issuers.first { $0.issuer == index } }
        let audiences = accepted.map { issuer.audiences(naming: $0.audiences) } ?? []
        let needs = IssuerNeeds(issuer: issuer, audiences: audiences, time: time)
        var (header, claims) = (header, claims)
        needs.complete(header: &header)
        needs.complete(claims: &claims)
        return AssumedToken(header: header.json, claims: claims.json).compact
    }
}
