import JOSE
import StrictJSON

extension FuzzTarget {
    /// Checks that an accepted key in PEM is the same key as a JWK, that it is the only block of its text, and that no
    /// text with a private key is accepted or repeated.
    static func pemKey(_ bytes: [UInt8]) {
        let isPrivate = bytes.contains("PRIVATE KEY-----".utf8)
        do throws(PEMKeyRejection) {
            let key = try VerificationKey(pem: bytes, keyID: "k1")
            require(!isPrivate, "a text with a private key is accepted")
            judge(key)
            judgeNeighbours(of: bytes, key)
        } catch {
            require(!isPrivate || bytes.count > 64 * 1024 || error == .privateKey, "a private key is not named first")
            let message = error.description
            require(!message.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "a control character for a terminal")
            require(message.utf8.count < 1024, "a message as long as the file")
        }
    }

    private static func judge(_ key: VerificationKey) {
        guard let text = try? JSONDocument(parsing: Array(key.jwk.utf8), limits: .keySet),
            let again = try? VerificationKey(jwk: text.root)
        else { fatalError("a key that is no JWK") }
        require(key.keyID == "k1", "another key ID")
        require(again.thumbprint == key.thumbprint && again.algorithms == key.algorithms, "another key as a JWK")
        for algorithm in SignatureAlgorithm.allCases {
            require(
                key.verify(signature: [0].span, signingInput: [0].span, algorithm: algorithm) != .valid,
                "a byte is a signature")
        }
    }

    /// Texts that differ only in what stands around the block.
    private static func judgeNeighbours(of bytes: [UInt8], _ key: VerificationKey) {
        guard bytes.count < 16 * 1024 else { return }
        let explained = try? VerificationKey(pem: Array("a key\n".utf8) + bytes, keyID: "k1")
        // The text may begin with a byte order mark, which only the beginning of a file may have.
        require(explained == nil || explained?.thumbprint == key.thumbprint, "another key behind an explanation")
        require(refusal(of: bytes + Array("\n".utf8) + bytes) != nil, "two keys in one text")
        require(refusal(of: bytes + Array("\nand more".utf8)) != nil, "text behind the key")
        let secret = Array("\n-----BEGIN EC PRIVATE KEY-----\n".utf8)
        require(refusal(of: bytes + secret) == .privateKey, "a private key behind the key")
        require(refusal(of: secret + bytes) == .privateKey, "a private key before the key")
    }

    private static func refusal(of text: [UInt8]) -> PEMKeyRejection? {
        do throws(PEMKeyRejection) {
            _ = try VerificationKey(pem: text, keyID: "k1")
            return nil
        } catch {
            return error
        }
    }
}
