/// A signature algorithm that may verify a token: the one closed table (RFC 7518 §3.1, RFC 9864 §2.2).
///
/// `none` and the HMAC algorithms are not in the table, and no other code compares `alg` strings.
public enum SignatureAlgorithm: String, Sendable, Hashable, CaseIterable {
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
    case ps256 = "PS256"
    case ps384 = "PS384"
    case ps512 = "PS512"
    case es256 = "ES256"
    case es384 = "ES384"
    case es512 = "ES512"
    case ed25519 = "Ed25519"
    case ed448 = "Ed448"

    public var keyType: KeyType { scheme.keyType }

    /// The curve of its keys. Nil for RSA.
    public var curve: Curve? { scheme.curve }

    /// Size of its signatures, in bytes. Nil for RSA, where it depends on the modulus.
    public var signatureByteCount: Int? { scheme.signatureByteCount }

    var scheme: SignatureScheme {
        switch self {
        case .rs256: .rsa(.sha256, .pkcs1)
        case .rs384: .rsa(.sha384, .pkcs1)
        case .rs512: .rsa(.sha512, .pkcs1)
        case .ps256: .rsa(.sha256, .pss)
        case .ps384: .rsa(.sha384, .pss)
        case .ps512: .rsa(.sha512, .pss)
        case .es256: .ecdsa(.sha256, .p256)
        case .es384: .ecdsa(.sha384, .p384)
        case .es512: .ecdsa(.sha512, .p521)
        case .ed25519: .edwards(.ed25519)
        case .ed448: .edwards(.ed448)
        }
    }
}

/// Signature scheme of an algorithm name.
enum SignatureScheme: Sendable, Hashable {
    case rsa(DigestAlgorithm, RSAPadding)
    case ecdsa(DigestAlgorithm, Curve)
    case edwards(Curve)

    var keyType: KeyType {
        switch self {
        case .rsa: .rsa
        case .ecdsa: .ellipticCurve
        case .edwards: .octetKeyPair
        }
    }

    var curve: Curve? {
        switch self {
        case .rsa: nil
        case .ecdsa(_, let curve), .edwards(let curve): curve
        }
    }

    var signatureByteCount: Int? {
        switch self {
        case .rsa: nil
        case .ecdsa(_, let curve), .edwards(let curve): 2 &* curve.coordinateByteCount
        }
    }
}

enum DigestAlgorithm: String, Sendable, Hashable, CaseIterable {
    case sha256 = "SHA2-256"
    case sha384 = "SHA2-384"
    case sha512 = "SHA2-512"

    var byteCount: Int {
        switch self {
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }
}

enum RSAPadding: Sendable, Hashable {
    /// RSASSA-PKCS1-v1_5 (RFC 8017 §8.2).
    case pkcs1
    /// RSASSA-PSS with MGF1 over the same digest and a salt of exactly the digest's length (RFC 7518 §3.5).
    case pss
}
