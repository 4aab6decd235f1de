/// Reason why a JWK is not used.
public enum JSONWebKeyRejection: Error, Hashable, Sendable {
    case notObject
    /// `kty` is absent or no string.
    case keyTypeMissing
    /// A `kty` that verifies no signature known here.
    case keyTypeUnknown
    /// `kty` is `oct`: the issuer publishes a secret.
    case symmetricKey
    /// A member of a private key (RFC 7518 §6.2.2, §6.3.2, §6.4.1), of whatever type: the issuer publishes a secret.
    case privateKey
    /// `kid` is no string, empty, or over 256 bytes.
    case keyIDInvalid
    /// `use` is something other than `sig`, and not what the issuer's profile permits besides.
    case notForSignatures
    /// `key_ops` does not list `verify`.
    case notForVerification
    /// `alg` is no string or no algorithm of the table.
    case algorithmUnknown
    /// `alg` is not one for the key's type and curve.
    case algorithmMismatch
    /// `crv` is absent or not one for the key's type.
    case curveUnknown
    /// A member of the key itself is absent.
    case materialMissing(KeyMember)
    /// The key itself is absent; a certificate (`x5c`) stands for it, and none is read.
    case onlyCertificate
    /// A member of the key itself is no string, empty, or no base64.
    case materialMalformed(KeyMember)
    /// `n` is shorter than 2,048 bits.
    case modulusTooShort
    /// `n` is longer than 8,192 bits.
    case modulusTooLong
    /// `n` is even, or begins with more than one zero byte.
    case modulusInvalid
    /// `e` is even, below 3, or longer than 32 bits.
    case exponentInvalid
    /// `n` carries the mark of keys that can be factored (ROCA, CVE-2017-15361).
    case modulusWeak
    /// A coordinate is not exactly as long as the curve demands (RFC 7518 §6.2.1.2, RFC 8037 §2).
    case coordinateLength(KeyMember)
    /// The coordinates are no point on the curve.
    case pointInvalid
    /// The point generates a group of at most eight: signatures for it can be made by anyone.
    case pointOfSmallOrder
    /// Another key of the set has the same `kid` and type but different material: neither is used.
    case duplicateKeyID
    /// The cryptographic library failed; says nothing about the key.
    case unavailable
}

extension JSONWebKeyRejection {
    /// Importance of the rejection for operators.
    public enum Weight: Sendable, Hashable {
        /// The key is sound, and for something else.
        case ordinary
        /// The key was meant for signatures, or cannot be told from one that was.
        case mistake
        /// The issuer publishes what signs its tokens, or what decrypts for it.
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
    /// The cause, for operators.
    public var description: String {
        switch self {
        case .notObject: "it is no JSON object"
        case .keyTypeMissing: "`kty` is missing or no text"
        case .keyTypeUnknown: "its `kty` is no type of key that verifies signatures here"
        case .symmetricKey: "it is a symmetric key (`kty: oct`), so a secret is published"
        case .privateKey: "it is a private key, so a secret is published"
        case .keyIDInvalid: "`kid` is no text of 1 to \(ProtectedHeader.longestKeyID) bytes"
        case .notForSignatures: "its `use` is not `sig`"
        case .notForVerification: "its `key_ops` does not list `verify`"
        case .algorithmUnknown: "its `alg` is no signature algorithm that is known here"
        case .algorithmMismatch: "its `alg` is not for its type and curve"
        case .curveUnknown: "its `crv` is missing, or is none of its type that is known here"
        case .materialMissing(let member): "`\(member.rawValue)` is missing"
        case .onlyCertificate: "it has a certificate (`x5c`) in place of the key itself, and certificates are not read"
        case .materialMalformed(let member): "`\(member.rawValue)` is no text in base64"
        case .modulusTooShort: "its modulus is shorter than 2,048 bits"
        case .modulusTooLong: "its modulus is longer than 8,192 bits"
        case .modulusInvalid: "its modulus is even, or begins with more than one zero byte"
        case .exponentInvalid: "its exponent is even, below 3, or longer than 32 bits"
        case .modulusWeak: "its modulus can be factored (ROCA)"
        case .coordinateLength(let member): "`\(member.rawValue)` has another length than the coordinates of its curve"
        case .pointInvalid: "its coordinates are no point on its curve"
        case .pointOfSmallOrder: "its point is one for which anyone can make signatures"
        case .duplicateKeyID:
            "another key of the set has the same `kid` and type and is another key, so neither is used"
        case .unavailable: "the cryptographic library failed"
        }
    }
}
