import JOSE
import StrictJSON

/// A header and claims in the form of a token without a valid signature.
///
/// Its third part is as long as a signature, so that size limits see a token of the usual size. It is all zeros, so the
/// token is refused wherever signatures are checked.
public struct AssumedToken: Sendable, Hashable {
    /// The token in compact serialization (RFC 7515 §7.1).
    public let compact: String

    /// Accepts any bytes. The verifier detects what is invalid in them.
    ///
    /// - Parameters:
    ///   - header: JSON text of the protected header.
    ///   - claims: JSON text of the claims set.
    public init(header: [UInt8], claims: [UInt8]) {
        let algorithm = (try? JSONDocument(parsing: header, limits: .joseHeader))?.root[member: "alg"]?.string
        let signature = [UInt8](repeating: 0, count: Self.signatureLength(algorithm ?? ""))
        compact = [header, claims, signature].map(Base64URL.encode).joined(separator: ".")
    }

    /// Makes a token with a header of the given algorithm, type and key ID. Parameters that are nil are left out of the
    /// header.
    public init(algorithm: String, type: String? = nil, keyID: String? = nil, claims: [UInt8]) {
        let header = JSONObjectWriter.object { writer, bytes in
            writer.member("alg", string: algorithm, into: &bytes)
            if let type { writer.member("typ", string: type, into: &bytes) }
            if let keyID { writer.member("kid", string: keyID, into: &bytes) }
        }
        self.init(header: header, claims: claims)
    }

    /// Length of a signature in bytes (RFC 7518 §3.3, §3.4; RFC 8032 §5). For RSA, that of a key of 2,048 bits.
    private static func signatureLength(_ algorithm: String) -> Int {
        switch algorithm {
        case "ES256", "EdDSA", "Ed25519": 64
        case "ES384": 96
        case "ES512": 132
        case "Ed448": 114
        default: 256
        }
    }
}
