import StrictJSON

/// A JWK's members, judged (RFC 7517 §4).
struct JSONWebKey {
    let keyID: String?
    let keyType: KeyType
    let algorithms: SignatureAlgorithmSet
    let issuer: String?
    let material: PublicKeyMaterial

    init(_ jwk: JSONValue, use: KeyUse = .signatures) throws(JSONWebKeyRejection) {
        guard jwk.kind == .object else { throw .notObject }
        keyType = try Self.keyType(of: jwk)
        keyID = try Self.keyID(of: jwk)
        try Self.checkPurpose(of: jwk, use)
        material = try PublicKeyMaterial(jwk: jwk, keyType: keyType)
        algorithms = try Self.algorithms(of: jwk, keyType: keyType, curve: material.curve)
        issuer = jwk[member: "issuer"]?.string
    }

    private static func keyType(of jwk: JSONValue) throws(JSONWebKeyRejection) -> KeyType {
        guard let name = jwk[member: "kty"]?.string else { throw .keyTypeMissing }
        // Judged before all else: whatever such a key is for, the issuer has published a secret.
        if name == "oct" { throw .symmetricKey }
        for member in privateMembers where jwk[member: member] != nil { throw .privateKey }
        guard let keyType = KeyType(rawValue: name) else { throw .keyTypeUnknown }
        return keyType
    }

    private static let privateMembers: [StaticString] = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

    /// The key ID to show for a key that is skipped; nil where there is none to show.
    static func presentableKeyID(of jwk: JSONValue) -> String? {
        try? keyID(of: jwk)
    }

    private static func keyID(of jwk: JSONValue) throws(JSONWebKeyRejection) -> String? {
        guard let value = jwk[member: "kid"] else { return nil }
        guard let keyID = value.string, !keyID.isEmpty, keyID.utf8.count <= ProtectedHeader.longestKeyID else { throw .keyIDInvalid }
        return keyID
    }

    private static func checkPurpose(of jwk: JSONValue, _ wanted: KeyUse) throws(JSONWebKeyRejection) {
        if let use = jwk[member: "use"], !wanted.names.contains(where: { use.isString(equalTo: $0) }) { throw .notForSignatures }
        if let operations = jwk[member: "key_ops"] {
            guard operations.elements.contains(where: { operation in operation.isString(equalTo: "verify") }) else {
                throw .notForVerification
            }
        }
    }

    private static func algorithms(of jwk: JSONValue, keyType: KeyType, curve: Curve?) throws(JSONWebKeyRejection) -> SignatureAlgorithmSet
    {
        let fitting = SignatureAlgorithmSet(
            SignatureAlgorithm.allCases.filter { algorithm in algorithm.keyType == keyType && algorithm.curve == curve }
        )
        guard let value = jwk[member: "alg"] else { return fitting }
        guard let name = value.string, let named = HeaderAlgorithm(name: name) else { throw .algorithmUnknown }
        let allowed = fitting.intersection(named.algorithms)
        guard !allowed.isEmpty else { throw .algorithmMismatch }
        return allowed
    }
}
