import StrictJSON
import Synchronization

/// A public key that may verify signatures (RFC 7517 §4). Immutable, and usable from several threads at once.
public final class VerificationKey: Sendable {
    /// The `kid`, an opaque string. Nil if the key has none.
    public let keyID: String?
    public let keyType: KeyType
    /// Algorithms that the key may be used with: those of its type and curve, restricted by its own `alg`.
    public let algorithms: SignatureAlgorithmSet
    /// SHA-256 over the key's required members (RFC 7638). Two thumbprints are equal exactly if the key material is.
    public let thumbprint: [UInt8]
    /// Entra's `issuer` member: the only issuer whose tokens the key may sign. `{tenantid}` in it matches any tenant.
    /// Nil if the key has none.
    public let issuer: String?

    let material: PublicKeyMaterial
    private let libraryKey: LibraryKey
    /// Length of the RSA modulus, and therefore of signatures, in bytes. Nil for other types of key.
    private let modulusByteCount: Int?
    private let parts = Mutex(Parts())

    private struct Parts {
        /// Prepared checks that no thread uses now. They are reused, so that not every signature needs a new one.
        var idle: [PreparedVerification] = []
        /// The key's place among the published keys, which may have a table. Nil for a key that was not published.
        var tabled: TabledKey?

        mutating func takeIdle(_ algorithm: SignatureAlgorithm) -> PreparedVerification? {
            guard let place = idle.lastIndex(where: { prepared in prepared.algorithm == algorithm }) else { return nil }
            idle.swapAt(place, idle.index(before: idle.endIndex))
            return idle.popLast()
        }
    }

    /// Length of a thumbprint, which is a SHA-256, in bytes.
    public static let thumbprintByteCount = 32
    /// Largest number of idle checks for each key, far above the number of threads that verify at once.
    private static let mostIdle = 64

    /// Reads a JWK that follows the RFCs exactly. Unknown members are ignored; certificates are neither read nor
    /// trusted.
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
    /// The result is invalid for a signature of the wrong length, and for an algorithm that the key is not for.
    public func verify(signature: Span<UInt8>, signingInput: Span<UInt8>, algorithm: SignatureAlgorithm)
        -> SignatureVerdict
    {
        guard algorithms.contains(algorithm), signature.count == algorithm.signatureByteCount ?? modulusByteCount else {
            return .invalid
        }
        let (idle, tabled) = parts.withLock { parts in (parts.takeIdle(algorithm), parts.tabled) }
        guard let prepared = idle ?? PreparedVerification(algorithm, key: libraryKey) else { return .unavailable }
        let verdict = prepared.verify(signature: signature, signingInput: signingInput, tabled: tabled)
        if verdict != .unavailable { giveBack(prepared) }
        if verdict == .valid { tabled?.noteValid() }
        return verdict
    }

    private func giveBack(_ prepared: PreparedVerification) {
        parts.withLock { parts in
            if parts.idle.count < Self.mostIdle { parts.idle.append(prepared) }
        }
    }

    /// True if the key has its place among the published keys, and for a key that can have no table.
    var isPublished: Bool { keyType != .ellipticCurve || parts.withLock { $0.tabled != nil } }

    /// Verifies by the table of a published key, whenever it has one.
    func use(_ tabled: TabledKey) {
        parts.withLock { $0.tabled = tabled }
    }
}
