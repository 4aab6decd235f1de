import StrictJSON

extension VerificationKey {
    /// The key as a JWK with public members only (RFC 7517 §4). Reading it back gives an equal key.
    ///
    /// Written from the parsed key: ignored members are left out, and numbers are in their canonical spelling.
    public var jwk: String {
        JSONObjectWriter.text { writeJWKMembers(with: &$0, into: &$1) }
    }

    /// Writes the JWK's members into an open JSON object, for documents with several keys.
    public func writeJWKMembers(with writer: inout JSONObjectWriter, into bytes: inout [UInt8]) {
        writer.member("kty", string: keyType.rawValue, into: &bytes)
        if let keyID { writer.member("kid", string: keyID, into: &bytes) }
        writer.member("use", string: "sig", into: &bytes)
        // An RSA key without `alg` is for several algorithms, so no `alg` is written. Every other key is for one.
        if let algorithm = algorithms.sole { writer.member("alg", string: algorithm.rawValue, into: &bytes) }
        material.writeMembers(with: &writer, into: &bytes)
        if let issuer { writer.member("issuer", string: issuer, into: &bytes) }
    }
}

extension PublicKeyMaterial {
    fileprivate func writeMembers(with writer: inout JSONObjectWriter, into bytes: inout [UInt8]) {
        switch self {
        case .rsa(let key):
            writer.member("n", string: Base64URL.encode(key.modulus), into: &bytes)
            writer.member("e", string: Base64URL.encode(key.exponent), into: &bytes)
        case .ellipticCurve(let curve, let x, let y):
            writer.member("crv", string: curve.rawValue, into: &bytes)
            writer.member("x", string: Base64URL.encode(x), into: &bytes)
            writer.member("y", string: Base64URL.encode(y), into: &bytes)
        case .octetKeyPair(let curve, let x):
            writer.member("crv", string: curve.rawValue, into: &bytes)
            writer.member("x", string: Base64URL.encode(x), into: &bytes)
        }
    }
}
