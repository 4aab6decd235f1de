import COpenSSL
import JOSE
import StrictJSON

/// The members of a JWK that describe a key's public half (RFC 7518 §6, RFC 8037 §2), in the order of the RFC.
struct PublicMembers {
    private let algorithm: SignatureAlgorithm
    private let members: [(name: String, value: [UInt8])]

    @unsafe init(of key: OpaquePointer, algorithm: SignatureAlgorithm) throws(SigningFailure) {
        self.algorithm = algorithm
        switch algorithm.keyType {
        case .rsa:
            members = [("n", try unsafe Self.number("n", of: key)), ("e", try unsafe Self.number("e", of: key))]
        case .ellipticCurve:
            let byteCount = (algorithm.signatureByteCount ?? 0) / 2
            members = [
                ("x", try unsafe Self.number("qx", of: key, byteCount: byteCount)),
                ("y", try unsafe Self.number("qy", of: key, byteCount: byteCount)),
            ]
        case .octetKeyPair:
            members = [("x", try unsafe Self.rawPublicKey(of: key))]
        }
    }

    func jwk(keyID: String) -> String {
        JSONObjectWriter.text { writer, bytes in
            writer.member("kty", string: algorithm.keyType.rawValue, into: &bytes)
            writer.member("kid", string: keyID, into: &bytes)
            writer.member("use", string: "sig", into: &bytes)
            writer.member("alg", string: algorithm.rawValue, into: &bytes)
            if let curve = algorithm.curve { writer.member("crv", string: curve.rawValue, into: &bytes) }
            for member in members { writer.member(member.name, string: Base64URL.encode(member.value), into: &bytes) }
        }
    }

    /// A number of the key in big-endian order, in `byteCount` bytes. Without `byteCount` it has no leading zeros.
    private static func number(_ name: String, of key: OpaquePointer, byteCount: Int? = nil) throws(SigningFailure)
        -> [UInt8]
    {
        var number: OpaquePointer?
        guard unsafe EVP_PKEY_get_bn_param(key, name, &number) == 1 else { throw .unavailable }
        defer { unsafe BN_free(number) }
        let count = unsafe byteCount ?? Int(BN_num_bits(number) + 7) / 8
        var bytes = [UInt8](repeating: 0, count: count)
        guard unsafe BN_bn2binpad(number, &bytes, Int32(count)) == Int32(count) else { throw .unavailable }
        return bytes
    }

    private static func rawPublicKey(of key: OpaquePointer) throws(SigningFailure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 64)
        var count = bytes.count
        guard unsafe EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1 else { throw .unavailable }
        return Array(bytes.prefix(count))
    }
}
