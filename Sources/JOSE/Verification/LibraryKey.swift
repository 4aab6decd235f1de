import COpenSSL

/// Public key in libcrypto's form.
@safe final class LibraryKey: @unchecked Sendable {
    // SAFETY: the EVP_PKEY belongs to this object alone and is only read after `init`.
    let pointer: OpaquePointer

    init(_ material: PublicKeyMaterial) throws(JSONWebKeyRejection) {
        defer { LibraryErrors.clear() }
        switch material {
        case .rsa(let key): unsafe pointer = try Self.rsa(key)
        case .ellipticCurve(let curve, let x, let y): unsafe pointer = try Self.point(on: curve, x: x, y: y)
        case .octetKeyPair(let curve, let x): unsafe pointer = try Self.edwards(curve, x: x)
        }
    }

    deinit {
        unsafe EVP_PKEY_free(pointer)
    }

    private static func rsa(_ key: RSAPublicKey) throws(JSONWebKeyRejection) -> OpaquePointer {
        var modulus = nativeEndian(key.modulus)
        var exponent = nativeEndian(key.exponent)
        let made = unsafe modulus.withUnsafeMutableBufferPointer { modulus in
            unsafe exponent.withUnsafeMutableBufferPointer { exponent in
                var parameters = unsafe [
                    OSSL_PARAM_construct_BN(bearward_parameter_rsa_modulus(), modulus.baseAddress, modulus.count),
                    OSSL_PARAM_construct_BN(bearward_parameter_rsa_exponent(), exponent.baseAddress, exponent.count),
                    OSSL_PARAM_construct_end(),
                ]
                return unsafe make("RSA", from: &parameters)
            }
        }
        guard let made = unsafe made else { throw .unavailable }
        return unsafe made
    }

    private static func point(on curve: Curve, x: [UInt8], y: [UInt8]) throws(JSONWebKeyRejection) -> OpaquePointer {
        var group = Array(curve.rawValue.utf8CString)
        // Uncompressed point (SEC 1 §2.3.3). The library rejects coordinates outside the field and points off the
        // curve.
        var octets = Array([[4], x, y].joined())
        let made = unsafe group.withUnsafeMutableBufferPointer { group in
            unsafe octets.withUnsafeMutableBytes { octets in
                var parameters = unsafe [
                    OSSL_PARAM_construct_utf8_string(bearward_parameter_group_name(), group.baseAddress, 0),
                    OSSL_PARAM_construct_octet_string(
                        bearward_parameter_public_key(), octets.baseAddress, octets.count),
                    OSSL_PARAM_construct_end(),
                ]
                return unsafe make("EC", from: &parameters)
            }
        }
        guard let made = unsafe made else { throw .pointInvalid }
        return unsafe made
    }

    private static func edwards(_ curve: Curve, x: [UInt8]) throws(JSONWebKeyRejection) -> OpaquePointer {
        let made = unsafe x.withUnsafeBufferPointer { bytes in
            unsafe EVP_PKEY_new_raw_public_key_ex(
                nil, curve == .ed448 ? "ED448" : "ED25519", nil, bytes.baseAddress, bytes.count)
        }
        guard let made = unsafe made else { throw .unavailable }
        return unsafe made
    }

    private static func make(_ type: String, from parameters: inout [OSSL_PARAM]) -> OpaquePointer? {
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, type, nil) else { return nil }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard unsafe EVP_PKEY_fromdata_init(context) == 1,
            unsafe EVP_PKEY_fromdata(context, &key, bearward_public_key_selection(), &parameters) == 1
        else { return nil }
        return unsafe key
    }

    private static func nativeEndian(_ number: [UInt8]) -> [UInt8] {
        #if _endian(little)
            number.reversed()
        #else
            number
        #endif
    }
}
