import IssuerProfiles
import JOSE
import StrictJSON

/// Makes whole tokens of the sources: a near-miss is its base, which may be another provider's or a near-miss itself,
/// with a change.
struct NearMissResolution {
    private let samples: [SampleSource]
    private let nearMisses: [NearMissSource]

    /// Longest chain of near-misses that build on each other.
    private static let deepest = 4

    init(samples: [SampleSource], nearMisses: [NearMissSource]) {
        self.samples = samples
        self.nearMisses = nearMisses
    }

    /// Nil if the header names no algorithm that there are keys for.
    func token(_ source: SampleSource) -> SampleToken? {
        guard let resolved = resolved(source) else { return nil }
        return SampleToken(
            id: source.id, header: resolved.header, payload: resolved.payload, signing: .key(resolved.key),
            variant: source.variant,
            call: source.call, expectedReason: source.reason, why: nil)
    }

    /// Nil if the base is not known.
    func token(_ source: NearMissSource) -> SampleToken? {
        guard let resolved = resolved(source, depth: 0) else { return nil }
        return SampleToken(
            id: source.id, header: resolved.header, payload: resolved.payload,
            signing: Self.signing(source.signer, resolved.key),
            variant: source.variant, call: source.call, expectedReason: source.reason, why: source.why)
    }

    /// Header and payload, and the key that would be the right one: the base's, whatever the change does to `kid` and
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
