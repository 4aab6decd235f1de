/// Why a JWK is not used.
public enum JSONWebKeyRejection: Error, Hashable, Sendable {
    case notObject
    /// `kty` is absent or no string.
    case keyTypeMissing
    /// A `kty` that verifies no signature known here.
    case keyTypeUnknown
    /// `kty` is `oct`: the issuer publishes a secret.
    case symmetricKey
    /// A private member (RFC 7518 §6.2.2, §6.3.2): the issuer publishes a secret.
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
    /// A member of the key itself is absent, no string, or not base64url.
    case materialMalformed
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
    case coordinateLength
    /// The coordinates are no point on the curve.
    case pointInvalid
    /// The point generates a group of at most eight: signatures for it can be made by anyone.
    case pointOfSmallOrder
    /// Another key of the set has the same `kid` and type but different material: neither is used.
    case duplicateKeyID
    /// The cryptographic library failed; says nothing about the key.
    case unavailable
}
