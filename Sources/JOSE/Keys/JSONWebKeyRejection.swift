/// Reason why a JWK is not used.
public enum JSONWebKeyRejection: Error, Hashable, Sendable {
    case notObject
    /// `kty` is absent or not a string.
    case keyTypeMissing
    /// `kty` is not a type of key that verifies signatures here.
    case keyTypeUnknown
    /// `kty` is `oct`: the issuer publishes a secret.
    case symmetricKey
    /// A member of a private key is present (RFC 7518 §6.2.2, §6.3.2, §6.4.1), with a value of any JSON type: the
    /// issuer publishes a secret.
    case privateKey
    /// `kid` is not a string, empty, or over 256 bytes.
    case keyIDInvalid
    /// `use` is neither `sig` nor another value that the issuer's profile permits.
    case notForSignatures
    /// `key_ops` does not list `verify`.
    case notForVerification
    /// `alg` is not a string, or not an algorithm of the table.
    case algorithmUnknown
    /// `alg` does not fit the key's type and curve.
    case algorithmMismatch
    /// `crv` is absent or does not fit the key's type.
    case curveUnknown
    /// A member with the key material is absent.
    case materialMissing(KeyMember)
    /// The key material is absent. The JWK has only a certificate (`x5c`), and certificates are not read.
    case onlyCertificate
    /// A member with the key material is not a string, empty, or not base64.
    case materialMalformed(KeyMember)
    /// `n` is shorter than 2,048 bits.
    case modulusTooShort
    /// `n` is longer than 8,192 bits.
    case modulusTooLong
    /// `n` is even, or begins with more than one zero byte.
    case modulusInvalid
    /// `e` is even, below 3, or longer than 32 bits.
    case exponentInvalid
    /// `n` has the fingerprint of keys that can be factored (ROCA, CVE-2017-15361).
    case modulusWeak
    /// A coordinate does not have exactly the length that the curve requires (RFC 7518 §6.2.1.2, RFC 8037 §2).
    case coordinateLength(KeyMember)
    /// The coordinates are not a point on the curve.
    case pointInvalid
    /// The point generates a group of at most eight elements, so anyone can make signatures for it.
    case pointOfSmallOrder
    /// Another key of the set has the same `kid` and type but different material: neither is used.
    case duplicateKeyID
    /// The cryptographic library failed. This says nothing about the key.
    case unavailable
}

extension JSONWebKeyRejection {
    /// Severity of the reason for the operator.
    public enum Weight: Sendable, Hashable {
        /// The key is valid and has another purpose.
        case ordinary
        /// The key was meant for signatures, or may have been.
        case mistake
        /// The issuer publishes a secret: a key that signs its tokens or decrypts its data.
        case secret
    }

    public var weight: Weight {
        switch self {
        case .notForSignatures, .notForVerification, .keyTypeUnknown, .algorithmUnknown: .ordinary
        case .symmetricKey, .privateKey: .secret
        case .notObject, .keyTypeMissing, .keyIDInvalid, .algorithmMismatch, .curveUnknown, .materialMissing,
            .onlyCertificate,
            .materialMalformed, .modulusTooShort, .modulusTooLong, .modulusInvalid, .exponentInvalid, .modulusWeak,
            .coordinateLength,
            .pointInvalid, .pointOfSmallOrder, .duplicateKeyID, .unavailable:
            .mistake
        }
    }
}

extension JSONWebKeyRejection: CustomStringConvertible {
    /// The cause in words, for operators.
    public var description: String {
        switch self {
        case .notObject: "it is not a JSON object"
        case .keyTypeMissing: "`kty` is missing or not a string"
        case .keyTypeUnknown: "its `kty` is not a supported type of key for signatures"
        case .symmetricKey: "it is a symmetric key (`kty: oct`), so a secret is published"
        case .privateKey: "it is a private key, so a secret is published"
        case .keyIDInvalid: "`kid` is not a string of 1 to \(ProtectedHeader.longestKeyID) bytes"
        case .notForSignatures: "its `use` is not `sig`"
        case .notForVerification: "its `key_ops` does not list `verify`"
        case .algorithmUnknown: "its `alg` is no signature algorithm that is known here"
        case .algorithmMismatch: "its `alg` is not for its type and curve"
        case .curveUnknown: "its `crv` is missing, or is not a supported curve for its `kty`"
        case .materialMissing(let member): "`\(member.rawValue)` is missing"
        case .onlyCertificate: "it has a certificate (`x5c`) in place of the key itself, and certificates are not read"
        case .materialMalformed(let member): "`\(member.rawValue)` is not base64"
        case .modulusTooShort: "its modulus is shorter than 2,048 bits"
        case .modulusTooLong: "its modulus is longer than 8,192 bits"
        case .modulusInvalid: "its modulus is even, or begins with more than one zero byte"
        case .exponentInvalid: "its exponent is even, below 3, or longer than 32 bits"
        case .modulusWeak: "its modulus can be factored (ROCA)"
        case .coordinateLength(let member): "`\(member.rawValue)` has another length than the coordinates of its curve"
        case .pointInvalid: "its coordinates are no point on its curve"
        case .pointOfSmallOrder: "its point is one for which anyone can make signatures"
        case .duplicateKeyID:
            "a different key of the set has the same `kid` and type, so neither is used"
        case .unavailable: "the cryptographic library failed"
        }
    }
}
