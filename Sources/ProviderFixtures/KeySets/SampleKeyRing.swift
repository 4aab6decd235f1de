import JOSE
import JOSESigning
import StrictJSON
import Synchronization

/// Signing keys for samples, one for each key ID and algorithm. Each is generated when first requested.
public final class SampleKeyRing: Sendable {
    private let keys = Mutex<[SampleKeyName: SigningKey]>([:])

    public init() {}

    /// Returns the key with this name. It stays the same until it is forgotten.
    ///
    /// RSA keys have 2,048 bits. Some providers have 4,096, but generating those takes seconds.
    public func key(for name: SampleKeyName) throws(SigningFailure) -> SigningKey {
        // Generated under the lock: waiting is better than two different keys with one name.
        try keys.withLock { (keys: inout sending [SampleKeyName: SigningKey]) throws(SigningFailure) -> SigningKey in
            if let known = keys[name] { return known }
            let made = try SigningKey.generate(name.algorithm, keyID: name.keyID)
            keys[name] = made
            return made
        }
    }

    /// Deletes keys that are not used any more, so that key rotations do not accumulate them.
    public func forget(_ names: Set<SampleKeyName>) {
        keys.withLock { keys in
            for name in names { keys[name] = nil }
        }
    }
}

// MARK: - Key sets

extension SampleKeyRing {
    /// Text of a JWK set (RFC 7517 §5) with these entries, in their order.
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
    /// Makes the sample's compact JWS (RFC 7515 §7.1), with the signature that the sample states.
    ///
    /// - Parameters:
    ///   - seconds: number of seconds by which all times of the payload are shifted, `iat` among them.
    ///   - header: changes to the header before signing. They do not change the key that signs.
    ///   - payload: changes to the payload, after the times were shifted.
    ///   - keyIDs: new key IDs by those of the samples, as after a key rotation. They change both the header and the
    ///     key that signs.
    public func compactJWS(
        _ sample: SampleToken, shiftedBy seconds: Int = 0, header: JSONObjectPatch = JSONObjectPatch(),
        payload: JSONObjectPatch = JSONObjectPatch(), keyIDs: [String: String] = [:],
    ) throws(SigningFailure) -> String {
        // A header that repeats `exp` has the same time as the payload.
        var ownHeader = SampleTimes.shift(sample.header, by: seconds)
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
            // Changes the middle byte. The effect of changing the first byte (which may be zero) or the last one (which
            // may have unused bits) depends on the algorithm.
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
