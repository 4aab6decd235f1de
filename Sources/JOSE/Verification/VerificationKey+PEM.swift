extension VerificationKey {
    /// Reads the one public key or certificate of a text in PEM (RFC 7468). The key may be used with all algorithms of
    /// its type and curve.
    ///
    /// Neither a certificate's signature nor its validity times are checked: who wrote the file vouches for the key.
    ///
    /// - Parameter keyID: the `kid` of the tokens that the key signs.
    public convenience init(pem text: [UInt8], keyID: String) throws(PEMKeyRejection) {
        let material = try PublicKeyMaterial(PEMBlock(text))
        do throws(JSONWebKeyRejection) {
            try self.init(JSONWebKey(keyID: keyID, material: material))
        } catch {
            throw .key(error)
        }
    }
}
