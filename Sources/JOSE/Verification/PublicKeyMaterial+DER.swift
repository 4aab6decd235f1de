import COpenSSL

extension PublicKeyMaterial {
    /// Decodes a block with libcrypto. The key is checked as one of a JWK is. Of a certificate only the key is used:
    /// neither its signature nor its validity times are checked.
    init(_ block: PEMBlock) throws(PEMKeyRejection) {
        defer { LibraryErrors.clear() }
        guard let key = unsafe Self.decoded(block) else { throw .undecodable(block.label.rawValue) }
        defer { unsafe EVP_PKEY_free(key) }
        let material: PublicKeyMaterial?
        do throws(JSONWebKeyRejection) {
            material = unsafe try Self.material(of: key)
        } catch {
            throw .key(error)
        }
        guard let material else {
            throw unsafe .unsupported(Self.curveName(of: key), type: Self.typeName(of: key))
        }
        self = material
    }

    /// The key of a block, owned by the caller. Nil if the block does not have the form that its label names, or has
    /// bytes after it.
    private static func decoded(_ block: PEMBlock) -> OpaquePointer? {
        unsafe block.content.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            guard let start = bytes.baseAddress else { return nil }
            var position: UnsafePointer<UInt8>? = unsafe start
            let key: OpaquePointer? =
                switch block.label {
                case .publicKey: unsafe d2i_PUBKEY(nil, &position, bytes.count)
                case .rsaPublicKey: unsafe d2i_PublicKey(EVP_PKEY_RSA, nil, &position, bytes.count)
                case .certificate: unsafe keyOfCertificate(&position, bytes.count)
                }
            guard unsafe position == start.advanced(by: bytes.count) else {
                unsafe EVP_PKEY_free(key)
                return nil
            }
            return unsafe key
        }
    }

    private static func keyOfCertificate(_ position: inout UnsafePointer<UInt8>?, _ count: Int) -> OpaquePointer? {
        guard let certificate = unsafe d2i_X509(nil, &position, count) else { return nil }
        defer { unsafe X509_free(certificate) }
        return unsafe X509_get_pubkey(certificate)
    }

    // MARK: Material

    /// The key's numbers. Nil for a type or curve that is not supported.
    private static func material(of key: OpaquePointer) throws(JSONWebKeyRejection) -> PublicKeyMaterial? {
        if unsafe EVP_PKEY_is_a(key, "RSA") == 1 {
            guard let modulus = unsafe number(bearward_parameter_rsa_modulus(), of: key),
                let exponent = unsafe number(bearward_parameter_rsa_exponent(), of: key)
            else { throw .unavailable }
            return .rsa(try RSAPublicKey(modulus: modulus, exponent: exponent))
        }
        if unsafe EVP_PKEY_is_a(key, "EC") == 1 {
            guard let curve = unsafe curve(of: key) else { return nil }
            let length = curve.coordinateByteCount
            guard let x = unsafe number(bearward_parameter_x(), of: key, length: length),
                let y = unsafe number(bearward_parameter_y(), of: key, length: length)
            else { throw .pointInvalid }
            return .ellipticCurve(curve, x: x, y: y)
        }
        for (name, curve) in [("ED25519", Curve.ed25519), ("ED448", .ed448)] {
            guard unsafe EVP_PKEY_is_a(key, name) == 1 else { continue }
            guard let x = unsafe octets(of: key, count: curve.coordinateByteCount) else { throw .unavailable }
            try EdwardsPublicKey.check(x, curve: curve)
            return .octetKeyPair(curve, x: x)
        }
        return nil
    }

    /// Curve of an EC key. Nil if it is not supported.
    private static func curve(of key: OpaquePointer) -> Curve? {
        switch unsafe curveName(of: key) {
        case "prime256v1": .p256
        case "secp384r1": .p384
        case "secp521r1": .p521
        default: nil
        }
    }

    /// A number of the key, big-endian. Nil if the key has none, or if it is longer than the wanted length.
    ///
    /// - Parameter length: length in bytes, with leading zeros. Nil for the number's own length.
    private static func number(_ name: UnsafePointer<CChar>?, of key: OpaquePointer, length: Int? = nil) -> [UInt8]? {
        var number: OpaquePointer?
        guard unsafe EVP_PKEY_get_bn_param(key, name, &number) == 1 else { return nil }
        defer { unsafe BN_free(number) }
        let needed = unsafe Int(BN_num_bits(number)) &+ 7
        var bytes = [UInt8](repeating: 0, count: length ?? needed &>> 3)
        let written = unsafe bytes.withUnsafeMutableBufferPointer { bytes in
            unsafe BN_bn2binpad(number, bytes.baseAddress, Int32(clamping: bytes.count))
        }
        return written == Int32(clamping: bytes.count) ? bytes : nil
    }

    private static func octets(of key: OpaquePointer, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var length = count
        let isWritten = unsafe bytes.withUnsafeMutableBufferPointer { bytes in
            unsafe EVP_PKEY_get_raw_public_key(key, bytes.baseAddress, &length) == 1
        }
        return isWritten && length == count ? bytes : nil
    }

    // MARK: Names

    /// libcrypto's name of an EC key's curve. Nil for another type of key, and for a curve that is given by its
    /// parameters.
    private static func curveName(of key: OpaquePointer) -> String? {
        var isExplicit: Int32 = 0
        // RFC 5480 §2.1.1 forbids parameters in place of the curve's name, even if they are those of a named curve.
        guard unsafe EVP_PKEY_get_int_param(key, bearward_parameter_is_explicit(), &isExplicit) != 1 || isExplicit == 0
        else { return nil }
        var name = [CChar](repeating: 0, count: 80)
        let isNamed = unsafe name.withUnsafeMutableBufferPointer { name in
            unsafe EVP_PKEY_get_group_name(key, name.baseAddress, name.count, nil) == 1
        }
        return isNamed ? String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }

    private static func typeName(of key: OpaquePointer) -> String {
        guard let name = unsafe EVP_PKEY_get0_type_name(key) else { return "unknown" }
        return unsafe String(cString: name)
    }
}

extension PEMKeyRejection {
    fileprivate static func unsupported(_ curve: String?, type: String) -> PEMKeyRejection {
        guard type == "EC" else { return .keyTypeUnsupported(type) }
        return .curveUnsupported(curve ?? "explicit parameters")
    }
}
