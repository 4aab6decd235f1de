import JOSE
import JOSESigning
import StrictJSON
import Synchronization

/// Signing keys for samples, made when they are first asked for: one for each key ID and algorithm.
public final class SampleKeyRing: Sendable {
    private let keys = Mutex<[SampleKeyName: SigningKey]>([:])

    public init() {}

    /// The key of that name, the same one until it is forgotten.
    ///
    /// RSA keys have 2,048 bits even where the provider's have 4,096, which take seconds to make.
    public func key(for name: SampleKeyName) throws(SigningFailure) -> SigningKey {
        // Made under the lock: two keys of one name would be worse than waiting.
        try keys.withLock { (keys: inout sending [SampleKeyName: SigningKey]) throws(SigningFailure) -> SigningKey in
            if let known = keys[name] { return known }
            let made = try SigningKey.generate(name.algorithm, keyID: name.keyID)
            keys[name] = made
            return made
        }
    }

    /// Forgets keys that are not used any more, so that rotations do not pile them up.
    public func forget(_ names: Set<SampleKeyName>) {
        keys.withLock { keys in
            for name in names { keys[name] = nil }
        }
    }
}

// MARK: - Key sets

extension SampleKeyRing {
    /// The text of a JWK set (RFC 7517 §5) of these entries, in their order.
    public func jwkSet(_ entries: [SampleKeyEntry]) throws(SigningFailure) -> String {
        var keys: [String] = []
        for entry in entries {
            keys.append(entry.shape.jwk(of: SampleText.object(try key(for: entry.name).publicJWK)))
        }
        return #"{"keys":["# + keys.joined(separator: ",") + "]}"
    }
}

// MARK: - Tokens

extension SampleKeyRing {
    /// The sample as a compact JWS (RFC 7515 §7.1), signed as it says.
    ///
    /// - Parameters:
    ///   - seconds: by how much later than its `iat` it shall be issued; all its times move along.
    ///   - header: changes that are made before it is signed, whichever key signs.
    ///   - payload: changes that are made after the times were moved.
    ///   - keyIDs: new key IDs by those of the samples, as after a rotation; they change the header and the key that
    ///     signs alike.
    public func compactJWS(
        _ sample: SampleToken, shiftedBy seconds: Int = 0, header: JSONObjectPatch = JSONObjectPatch(),
        payload: JSONObjectPatch = JSONObjectPatch(), keyIDs: [String: String] = [:],
    ) throws(SigningFailure) -> String {
        var ownHeader = sample.header
        if let keyID = ownHeader[member: "kid"]?.string, let other = keyIDs[keyID] {
            ownHeader = JSONObjectPatch(set: "kid", to: other).applied(to: ownHeader)
        }
        let parts = [
            header.applied(to: ownHeader), payload.applied(to: SampleTimes.shift(sample.payload, by: seconds)),
        ]
        let input = parts.map { part in Base64URL.encode(part.serialized()) }.joined(separator: ".")
        return input + "." + Base64URL.encode(try signature(sample.signing, over: Array(input.utf8), keyIDs: keyIDs))
    }

    private func signature(
        _ signing: SampleSigning, over input: [UInt8], keyIDs: [String: String],
    ) throws(SigningFailure) -> [UInt8] {
        switch signing {
        case .key(let name): return try key(for: name.renamed(keyIDs)).sign(input)
        case .tampered(let name):
            var signature = try key(for: name.renamed(keyIDs)).sign(input)
            // In the middle: a first byte of zero or the last one's spare bits would not have the same effect for every
            // algorithm.
            signature[signature.count / 2] ^= 0x01
            return signature
        case .unsigned: return []
        case .hmac(let secret):
            guard let code = SHA256.code(of: input.span, under: Array(secret.utf8)) else { throw .unavailable }
            return code
        }
    }
}

extension SampleKeyName {
    fileprivate func renamed(_ keyIDs: [String: String]) -> SampleKeyName {
        keyIDs[keyID].map { other in SampleKeyName(other, algorithm) } ?? self
    }
}
