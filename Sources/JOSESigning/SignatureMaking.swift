import COpenSSL
import JOSE

/// Makes a signature with libcrypto and converts it into its JOSE form.
struct SignatureMaking {
    let algorithm: SignatureAlgorithm
    /// Length of the salt of PSS, in bytes. Nil for the length of the digest, as RFC 7518 §3.5 requires.
    let pssSaltByteCount: Int32?

    @unsafe func sign(_ input: [UInt8], with key: OpaquePointer) -> [UInt8]? {
        defer { ERR_clear_error() }
        guard let context = unsafe EVP_MD_CTX_new() else { return nil }
        defer { unsafe EVP_MD_CTX_free(context) }
        guard unsafe begin(context, key: key), let signature = unsafe finish(context, input: input) else { return nil }
        guard algorithm.keyType == .ellipticCurve, let byteCount = algorithm.signatureByteCount else {
            return signature
        }
        return joseForm(ofDER: signature, coordinateByteCount: byteCount / 2)
    }

    private func begin(_ context: OpaquePointer, key: OpaquePointer) -> Bool {
        var keyContext: OpaquePointer?
        guard unsafe EVP_DigestSignInit_ex(context, &keyContext, digestName, nil, nil, key, nil) == 1 else {
            return false
        }
        guard usesPSS else { return true }
        return unsafe EVP_PKEY_CTX_set_rsa_padding(keyContext, RSA_PKCS1_PSS_PADDING) == 1
            && EVP_PKEY_CTX_set_rsa_pss_saltlen(keyContext, pssSaltByteCount ?? RSA_PSS_SALTLEN_DIGEST) == 1
    }

    private func finish(_ context: OpaquePointer, input: [UInt8]) -> [UInt8]? {
        var count = 0
        guard unsafe EVP_DigestSign(context, nil, &count, input, input.count) == 1 else { return nil }
        var signature = [UInt8](repeating: 0, count: count)
        guard unsafe EVP_DigestSign(context, &signature, &count, input, input.count) == 1 else { return nil }
        return Array(signature.prefix(count))
    }

    /// Converts the DER that libcrypto writes into r‖s (RFC 7518 §3.4). Nil if libcrypto cannot parse the DER.
    private func joseForm(ofDER signature: [UInt8], coordinateByteCount: Int) -> [UInt8]? {
        unsafe signature.withUnsafeBufferPointer { bytes in
            var position = bytes.baseAddress
            guard let parsed = unsafe d2i_ECDSA_SIG(nil, &position, bytes.count) else { return nil }
            defer { unsafe ECDSA_SIG_free(parsed) }
            return unsafe coordinate(ECDSA_SIG_get0_r(parsed), coordinateByteCount)
                + coordinate(ECDSA_SIG_get0_s(parsed), coordinateByteCount)
        }
    }

    private func coordinate(_ number: OpaquePointer?, _ byteCount: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        _ = unsafe BN_bn2binpad(number, &bytes, Int32(byteCount))
        return bytes
    }

    private var usesPSS: Bool {
        switch algorithm {
        case .ps256, .ps384, .ps512: true
        default: false
        }
    }

    private var digestName: String? {
        switch algorithm {
        case .rs256, .ps256, .es256: "SHA2-256"
        case .rs384, .ps384, .es384: "SHA2-384"
        case .rs512, .ps512, .es512: "SHA2-512"
        case .ed25519, .ed448: nil
        }
    }
}
