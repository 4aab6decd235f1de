import JOSE
import JOSESigning
import ProviderFixtures
import StrictJSON
import Synchronization

/// State that the endpoints of a provider server share: its samples, keys and faults.
final class ProviderState: Sendable {
    let samples: ProviderSamples
    let faults = FaultSwitch()
    /// Secret that introspection requires. Nil if any secret is accepted.
    let clientSecret: String?
    private let ring = SampleKeyRing()
    private let published: Mutex<PublishedKeySets>
    private let opaqueTokens = Mutex(OpaqueTokens())
    private let base = Mutex("")

    init(_ provider: ProviderName, clientSecret: String?) throws(SigningFailure) {
        samples = .of(provider)
        self.clientSecret = clientSecret
        published = Mutex(PublishedKeySets(of: samples))
        // Generated now, so that no request waits for it.
        for keySet in samples.keySets { _ = try ring.jwkSet(keySet.keys) }
    }

    /// Base URL of the server. Set when the address is bound, before the first request is answered.
    var url: String {
        base.withLock { base in base }
    }

    func bound(as url: String) {
        base.withLock { base in base = url }
    }
}

// MARK: - Keys

extension ProviderState {
    /// The key sets that are published now.
    var keySets: [SampleKeySet] {
        published.withLock { published in published.keySets }
    }

    func keySet(_ name: String) -> SampleKeySet? {
        keySets.first { keySet in keySet.name == name }
    }

    func text(of keys: [SampleKeyEntry]) throws(SigningFailure) -> String {
        try ring.jwkSet(keys)
    }

    func rotate(_ oldKeys: OldKeys) throws(SigningFailure) -> RotatedKeys {
        let (before, rotated) = published.withLock { published in
            let before = published
            published.rotate(oldKeys)
            return (before, published)
        }
        // Generated outside the lock, so that requests for other data do not wait for it.
        for keySet in rotated.keySets { _ = try ring.jwkSet(keySet.keys) }
        ring.forget(before.keyNames.subtracting(rotated.keyNames))
        return RotatedKeys(keyID: rotated.mainKeyID, published: rotated.publishedKeyIDs)
    }
}

// MARK: - Tokens

extension ProviderState {
    /// Name of the additional sample of a provider that issues opaque tokens (Logto).
    static let opaque = "opaque"

    /// Makes the requested token.
    ///
    /// - Parameter now: time of issue, in seconds since 1970.
    func mint(_ request: SampleRequest, at now: Int) throws(TokenEndpointError) -> MintedSample {
        if samples.name == .logto, request.sample == Self.opaque { return try opaqueToken(request, at: now) }
        guard let sample = samples.sample(id: request.sample) else { throw .unknownSample(request.sample) }
        let extra = try request.extraClaims()
        let requested = SampleChanges(provider: samples.name, request: request, now: now)
        let changes = try requested.patch()
        let header = requested.headerPatch(of: sample)
        let shifted = sample.payload(issuedAt: now)
        let payload = extra.applied(to: changes.applied(to: shifted))
        let keyIDs = published.withLock { published in published.keyIDs }
        let signed = try? ring.compactJWS(
            sample, header: header, payload: JSONObjectPatch(set: payload), keyIDs: keyIDs)
        guard let token = signed else {
            throw .keyUnavailable
        }
        let isChanged = payload.serialized() != shifted.serialized()
        let end = payload[member: "exp"]?.integer.map { end in end.clamped(to: Int64(now)...Int64.max) } ?? Int64(now)
        return MintedSample(
            token: token, expiresIn: Int(end) - now, expectedReason: isChanged ? nil : sample.expectedReason)
    }

    private func opaqueToken(_ request: SampleRequest, at now: Int) throws(TokenEndpointError) -> MintedSample {
        let model = samples.sample(id: "access")?.payload
        let lifetime = request.lifetime ?? 3600
        let claims = OpaqueTokenClaims(
            issuer: model?[member: "iss"]?.string ?? "", client: model?[member: "client_id"]?.string ?? "",
            subject: model?[member: "sub"]?.string ?? "",
            scopes: request.scopes ?? ["openid", "profile", "offline_access"],
            audiences: request.audiences, issuedAt: now, expiresAt: now + lifetime, changes: try request.extraClaims())
        let token = opaqueTokens.withLock { tokens in tokens.issue(claims) }
        return MintedSample(token: token, expiresIn: max(0, lifetime), expectedReason: "opaque_not_supported")
    }

    /// Text of the introspection response for a token (RFC 7662 §2.2).
    func introspection(of token: String, at now: Int) -> String {
        opaqueTokens.withLock { tokens in tokens.claims(of: token, at: now) }?.introspection ?? #"{"active":false}"#
    }
}

extension Comparable {
    fileprivate func clamped(to range: ClosedRange<Self>) -> Self {
        min(max(self, range.lowerBound), range.upperBound)
    }
}
