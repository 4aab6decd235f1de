import IssuerProfiles
import JOSE
import StrictJSON

/// Makes complete tokens from their sources. A near-miss is a base with a change. The base may be a token of another
/// provider, or a near-miss itself.
struct NearMissResolution {
    private let samples: [SampleSource]
    private let nearMisses: [NearMissSource]

    /// Longest chain of near-misses that build on each other.
    private static let deepest = 4

    init(samples: [SampleSource], nearMisses: [NearMissSource]) {
        self.samples = samples
        self.nearMisses = nearMisses
    }

    /// Makes a token that the provider issues. Nil if its header has no supported algorithm.
    func token(_ source: SampleSource) -> SampleToken? {
        guard let resolved = resolved(source) else { return nil }
        return SampleToken(
            id: source.id, header: resolved.header, payload: resolved.payload, signing: .key(resolved.key),
            variant: source.variant,
            call: source.call, expectedReason: source.reason, why: nil)
    }

    /// Makes a near-miss. Nil if its base is unknown.
    func token(_ source: NearMissSource) -> SampleToken? {
        guard let resolved = resolved(source, depth: 0) else { return nil }
        return SampleToken(
            id: source.id, header: resolved.header, payload: resolved.payload,
            signing: Self.signing(source.signer, resolved.key),
            variant: source.variant, call: source.call, expectedReason: source.reason, why: source.why)
    }

    /// Header and payload with the key that should sign them: the base's key, even if the near-miss changes `kid` or
    /// `alg`.
    private struct Resolved {
        var header: JSONValue
        var payload: JSONValue
        let key: SampleKeyName
    }

    private func resolved(_ source: SampleSource) -> Resolved? {
        guard let token = ProviderToken.named(source.id), let keyID = token.header[member: "kid"]?.string,
            let algorithm = token.header[member: "alg"]?.string.flatMap(SignatureAlgorithm.init(rawValue:))
        else { return nil }
        return Resolved(header: token.header, payload: token.claims, key: SampleKeyName(keyID, algorithm))
    }

    private func resolved(_ source: NearMissSource, depth: Int) -> Resolved? {
        guard depth < Self.deepest, var base = base(named: source.base, depth: depth) else { return nil }
        base.header = JSONObjectPatch(set: SampleText.object(source.setHeader), unset: source.unsetHeader).applied(
            to: base.header)
        base.payload = JSONObjectPatch(set: SampleText.object(source.setPayload), unset: source.unsetPayload).applied(
            to: base.payload)
        return base
    }

    private func base(named name: String, depth: Int) -> Resolved? {
        if let sample = samples.first(where: { sample in sample.id == name }) { return resolved(sample) }
        guard let mark = name.lastIndex(of: "#") else { return nil }
        let id = name[name.index(after: mark)...]
        guard let nearMiss = nearMisses.first(where: { nearMiss in nearMiss.id == id }) else { return nil }
        return resolved(nearMiss, depth: depth + 1)
    }

    private static func signing(_ signer: NearMissSigner, _ key: SampleKeyName) -> SampleSigning {
        switch signer {
        case .rightKey: .key(key)
        case .tampering: .tampered(key)
        case .key(let keyID): .key(SampleKeyName(keyID, key.algorithm))
        case .nobody: .unsigned
        case .secret(let secret): .hmac(secret: secret)
        }
    }
}
