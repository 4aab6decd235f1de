import COpenSSL
import JOSE
import StrictJSON

/// A private key that signs tokens. For development and tests: the gateway never links it.
@safe public final class SigningKey: @unchecked Sendable {
    // SAFETY: the EVP_PKEY belongs to this object alone and is only read after `init`.
    private let pointer: OpaquePointer
    public let algorithm: SignatureAlgorithm
    public let keyID: String
    /// The public half as the text of a JWK, with `kid`, `use` and `alg`.
    public let publicJWK: String

    private init(pointer: OpaquePointer, algorithm: SignatureAlgorithm, keyID: String) throws(SigningFailure) {
        do throws(SigningFailure) {
            publicJWK = try unsafe PublicMembers(of: pointer, algorithm: algorithm).jwk(keyID: keyID)
        } catch {
            unsafe EVP_PKEY_free(pointer)
            throw error
        }
        unsafe self.pointer = pointer
        self.algorithm = algorithm
        self.keyID = keyID
    }

    deinit {
        unsafe EVP_PKEY_free(pointer)
    }

    /// Makes a new key for one algorithm. An RSA key takes noticeable time.
    public static func generate(
        _ algorithm: SignatureAlgorithm, keyID: String, rsaBits: Int = 2048,
    ) throws(SigningFailure) -> SigningKey {
        guard 1024...16_384 ~= rsaBits else { throw .rsaBitsOutOfRange }
        defer { ERR_clear_error() }
        guard let pointer = unsafe makeKey(algorithm, rsaBits: Int32(rsaBits)) else { throw .unavailable }
        return try unsafe SigningKey(pointer: pointer, algorithm: algorithm, keyID: keyID)
    }

    /// This key with another key ID, or for another algorithm of its type, for example PS256 instead of RS256.
    public func renamed(_ keyID: String, algorithm: SignatureAlgorithm? = nil) throws(SigningFailure) -> SigningKey {
        guard unsafe EVP_PKEY_up_ref(pointer) == 1 else { throw .unavailable }
        return try unsafe SigningKey(pointer: pointer, algorithm: algorithm ?? self.algorithm, keyID: keyID)
    }

    private static func makeKey(_ algorithm: SignatureAlgorithm, rsaBits: Int32) -> OpaquePointer? {
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, algorithm.libraryKeyType, nil) else { return nil }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        guard unsafe EVP_PKEY_keygen_init(context) == 1,
            unsafe configure(context, algorithm: algorithm, rsaBits: rsaBits)
        else { return nil }
        var made: OpaquePointer?
        guard unsafe EVP_PKEY_generate(context, &made) == 1 else { return nil }
        return unsafe made
    }

    private static func configure(_ context: OpaquePointer, algorithm: SignatureAlgorithm, rsaBits: Int32) -> Bool {
        switch algorithm.keyType {
        case .rsa: unsafe EVP_PKEY_CTX_set_rsa_keygen_bits(context, rsaBits) == 1
        case .ellipticCurve: unsafe EVP_PKEY_CTX_set_group_name(context, algorithm.curve?.rawValue) == 1
        case .octetKeyPair: true
        }
    }
}

// MARK: - Signatures

extension SigningKey {
    /// Signs bytes. The signature is in its JOSE form (RFC 7518 §3).
    public func sign(_ input: [UInt8]) -> [UInt8] {
        sign(input, pssSaltByteCount: nil)
    }

    /// Signs bytes. With PSS, the salt has this length instead of the digest's.
    func sign(_ input: [UInt8], pssSaltByteCount: Int32?) -> [UInt8] {
        guard
            let signature = unsafe SignatureMaking(algorithm: algorithm, pssSaltByteCount: pssSaltByteCount).sign(
                input, with: pointer)
        else {
            // A trap is right here: no client input leads here, only a library without memory. A development issuer
            // that returned unsigned tokens would be misleading.
            preconditionFailure("libcrypto could not sign")
        }
        return signature
    }
}

extension SignatureAlgorithm {
    fileprivate var libraryKeyType: String {
        switch self {
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: "RSA"
        case .es256, .es384, .es512: "EC"
        case .ed25519: "ED25519"
        case .ed448: "ED448"
        }
    }
}
