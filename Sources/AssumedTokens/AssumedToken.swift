import JOSE
import StrictJSON

/// A header and claims in the form of a token, which nobody signed.
///
/// Its third part is as long as a signature would be, so that limits see a token of the usual size, and is all zeros:
/// wherever signatures are checked, it is refused.
public struct AssumedToken: Sendable, Hashable {
    /// The compact form (RFC 7515 §7.1).
    public let compact: String

    /// Takes any bytes: what is wrong with them is for the verifier to find.
    ///
    /// - Parameters:
    ///   - header: JSON text of the protected header.
    ///   - claims: JSON text of the claims set.
    public init(header: [UInt8], claims: [UInt8]) {
        let algorithm = (try? JSONDocument(parsing: header, limits: .joseHeader))?.root[member: "alg"]?.string
        let signature = [UInt8](repeating: 0, count: Self.signatureLength(algorithm ?? ""))
        compact = [header, claims, signature].map(Base64URL.encode).joined(separator: ".")
    }

    /// With a header that says the algorithm, the type and the key, as far as they are given.
    public init(algorithm: String, type: String? = nil, keyID: String? = nil, claims: [UInt8]) {
        let header = JSONObjectWriter.object { writer, bytes in
            writer.member("alg", string: algorithm, into: &bytes)
            if let type { writer.member("typ", string: type, into: &bytes) }
            if let keyID { writer.member("kid", string: keyID, into: &bytes) }
        }
        self.init(header: header, claims: claims)
    }

    /// In bytes (RFC 7518 §3.3, §3.4; RFC 8032 §5); of RSA, that of a key of 2,048 bits.
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
