/// The `kty` of a JWK that can verify a signature (RFC 7518 §6.1, RFC 8037 §2).
public enum KeyType: String, Sendable, Hashable, CaseIterable {
    case rsa = "RSA"
    case ellipticCurve = "EC"
    case octetKeyPair = "OKP"
}

/// The `crv` of a JWK that can verify a signature (RFC 7518 §6.2.1.1, RFC 8037 §2).
public enum Curve: String, Sendable, Hashable, CaseIterable {
    case p256 = "P-256"
    case p384 = "P-384"
    case p521 = "P-521"
    case ed25519 = "Ed25519"
    case ed448 = "Ed448"

    public var keyType: KeyType {
        switch self {
        case .p256, .p384, .p521: .ellipticCurve
        case .ed25519, .ed448: .octetKeyPair
        }
    }

    /// Size of one coordinate, or of an octet key pair's public key, in bytes.
    var coordinateByteCount: Int {
        switch self {
        case .p256, .ed25519: 32
        case .p384: 48
        case .p521: 66
        case .ed448: 57
        }
    }
}
