import Foundation
import JOSE
import JOSESigning

extension SigningKey {
    /// A self-signed certificate of this key in DER (RFC 5280 §4.1): anybody can put one into `x5c`, or behind `x5u`.
    public func selfMadeCertificate() throws -> [UInt8] {
        // PSS needs parameters besides its name; the same key can sign without them.
        let signer = algorithm.keyType == .rsa ? try renamed(keyID, algorithm: .rs256) : self
        let signatureAlgorithm = signer.algorithm.certificateIdentifier
        let name = DER.sequence(
            DER.item(0x31, DER.sequence(DER.identifier([0x55, 0x04, 0x03]), DER.item(0x0C, Array("anybody".utf8)))))
        let validity = DER.sequence(
            DER.item(0x17, Array("200101000000Z".utf8)), DER.item(0x17, Array("491231235959Z".utf8)))
        let contents = DER.sequence(
            DER.item(0xA0, DER.integer([2])), DER.integer([1]), signatureAlgorithm, name, validity, name,
            try publicKeyInfo())
        let signature = signer.sign(contents)
        return DER.sequence(
            contents, signatureAlgorithm,
            DER.bits(algorithm.keyType == .ellipticCurve ? DER.signature(signature) : signature))
    }

    /// SubjectPublicKeyInfo (RFC 3279 §2.3, RFC 5480 §2, RFC 8410 §4).
    private func publicKeyInfo() throws -> [UInt8] {
        let jwk = try JSONDecoder().decode([String: String].self, from: Data(publicJWK.utf8))
        let member = { (name: String) in Base64URL.decode(Array(jwk[name, default: ""].utf8).span) ?? [] }
        switch algorithm.keyType {
        case .rsa:
            let rsaEncryption = DER.sequence(
                DER.identifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]), DER.item(0x05, []))
            return DER.sequence(
                rsaEncryption, DER.bits(DER.sequence(DER.integer(member("n")), DER.integer(member("e")))))
        case .ellipticCurve:
            let publicKey = DER.identifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01])
            return DER.sequence(
                DER.sequence(publicKey, algorithm.curveIdentifier), DER.bits([4] + member("x") + member("y")))
        case .octetKeyPair: return DER.sequence(algorithm.certificateIdentifier, DER.bits(member("x")))
        }
    }
}

extension SignatureAlgorithm {
    /// The AlgorithmIdentifier of a signature; for an Edwards curve also that of the key.
    fileprivate var certificateIdentifier: [UInt8] {
        switch self {
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512:
            DER.sequence(DER.identifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0B]), DER.item(0x05, []))
        case .es256: DER.sequence(DER.identifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]))
        case .es384: DER.sequence(DER.identifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x03]))
        case .es512: DER.sequence(DER.identifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x04]))
        case .ed25519: DER.sequence(DER.identifier([0x2B, 0x65, 0x70]))
        case .ed448: DER.sequence(DER.identifier([0x2B, 0x65, 0x71]))
        }
    }

    /// Name of an elliptic curve. Empty for other keys.
    fileprivate var curveIdentifier: [UInt8] {
        switch self {
        case .es256: DER.identifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07])
        case .es384: DER.identifier([0x2B, 0x81, 0x04, 0x00, 0x22])
        case .es512: DER.identifier([0x2B, 0x81, 0x04, 0x00, 0x23])
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512, .ed25519, .ed448: []
        }
    }
}

/// The part of DER (X.690 §8) that a certificate needs.
private enum DER {
    static func item(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] { [tag] + length(content.count) + content }

    static func sequence(_ parts: [UInt8]...) -> [UInt8] { item(0x30, Array(parts.joined())) }

    static func identifier(_ bytes: [UInt8]) -> [UInt8] { item(0x06, bytes) }

    static func bits(_ bytes: [UInt8]) -> [UInt8] { item(0x03, [0] + bytes) }

    /// An unsigned integer, whatever its first bit.
    static func integer(_ magnitude: [UInt8]) -> [UInt8] {
        let digits = Array(magnitude.drop { $0 == 0 })
        return item(0x02, digits.first.map { $0 < 0x80 } == true ? digits : [0] + digits)
    }

    /// The two numbers of an ECDSA signature in its JOSE form (RFC 7518 §3.4).
    static func signature(_ joined: [UInt8]) -> [UInt8] {
        sequence(integer(Array(joined.prefix(joined.count / 2))), integer(Array(joined.suffix(joined.count / 2))))
    }

    private static func length(_ count: Int) -> [UInt8] {
        if count < 0x80 { return [UInt8(count)] }
        return count < 0x100 ? [0x81, UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
    }
}
