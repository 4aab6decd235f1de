import StrictJSON
import Synchronization

/// A public key that may verify signatures (RFC 7517 §4); immutable, and usable from any thread at once.
public final class VerificationKey: Sendable {
    /// The `kid`; an opaque string.
    public let keyID: String?
    public let keyType: KeyType
    /// The algorithms it may be used with: those of its type and curve, narrowed by its own `alg`.
    public let algorithms: SignatureAlgorithmSet
    /// SHA-256 over the key's required members (RFC 7638): equal exactly when the material is.
    public let thumbprint: [UInt8]
    /// Entra's `issuer` member: the only issuer whose tokens the key may sign, `{tenantid}` standing for any tenant.
    public let issuer: String?

    let material: PublicKeyMaterial
    private let libraryKey: LibraryKey
    /// The length of an RSA modulus, hence of its signatures.
    private let modulusByteCount: Int?
    /// Idle prepared checks; they are leased and returned, so that none is made per signature.
    private let idle = Mutex<[PreparedVerification]>([])

    /// Length of a thumbprint, which is a SHA-256, in bytes.
    public static let thumbprintByteCount = 32
    /// Idle checks kept per key, far above the threads that verify at once.
    private static let mostIdle = 64

    /// Takes a JWK that is written to the letter of the RFCs. Unknown members are ignored; certificates are neither
    /// read nor trusted.
    public convenience init(jwk: JSONValue) throws(JSONWebKeyRejection) {
        try self.init(JSONWebKey(jwk))
    }

    init(_ description: JSONWebKey) throws(JSONWebKeyRejection) {
        keyID = description.keyID
        keyType = description.keyType
        algorithms = description.algorithms
        issuer = description.issuer
        material = description.material
        libraryKey = try LibraryKey(description.material)
        modulusByteCount = if case .rsa(let key) = description.material { key.modulus.count } else { nil }
        let input = description.material.thumbprintInput
        guard let digest = LibraryDigest.digest(input.utf8.span, with: .sha256) else { throw .unavailable }
        thumbprint = digest
    }

    /// Checks a signature in its JOSE form over the signing input (RFC 7515 §5.2).
    ///
    /// A signature of the wrong length, or an algorithm the key is not for, is invalid.
    public func verify(signature: Span<UInt8>, signingInput: Span<UInt8>, algorithm: SignatureAlgorithm)
        -> SignatureVerdict
    {
        guard algorithms.contains(algorithm), signature.count == algorithm.signatureByteCount ?? modulusByteCount else {
            return .invalid
        }
        guard let prepared = takeIdle(algorithm) ?? PreparedVerification(algorithm, key: libraryKey) else {
            return .unavailable
        }
        let verdict = prepared.verify(signature: signature, signingInput: signingInput)
        if verdict != .unavailable { giveBack(prepared) }
        return verdict
    }

    private func takeIdle(_ algorithm: SignatureAlgorithm) -> PreparedVerification? {
        idle.withLock { idle in
            guard let place = idle.lastIndex(where: { prepared in prepared.algorithm == algorithm }) else { return nil }
            idle.swapAt(place, idle.index(before: idle.endIndex))
            return idle.popLast()
        }
    }

    private func giveBack(_ prepared: PreparedVerification) {
        idle.withLock { idle in
            if idle.count < Self.mostIdle { idle.append(prepared) }
        }
    }
}
