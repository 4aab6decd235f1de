import COpenSSL

/// A NIST curve whose keys may have tables (FIPS 186-5, SP 800-186 §3.2.1).
public enum PrimeCurve: Sendable, Hashable, CaseIterable {
    case p256
    case p384
    case p521

    /// Length of a coordinate, and of each half of a signature, in bytes.
    public var byteCount: Int {
        switch self {
        case .p256: 32
        case .p384: 48
        case .p521: 66
        }
    }

    /// Bits of the group's order.
    var orderBitCount: Int {
        switch self {
        case .p256: 256
        case .p384: 384
        case .p521: 521
        }
    }

    /// Words of 64 bits that the order takes.
    var orderWordCount: Int { (orderBitCount &+ 63) &>> 6 }

    /// libcrypto's number of the curve.
    var identifier: Int32 {
        switch self {
        case .p256: NID_X9_62_prime256v1
        case .p384: NID_secp384r1
        case .p521: NID_secp521r1
        }
    }
}
