import StrictJSON

/// A parsed and checked JWK (RFC 7517 §4).
struct JSONWebKey {
    let keyID: String?
    let keyType: KeyType
    let algorithms: SignatureAlgorithmSet
    let issuer: String?
    let material: PublicKeyMaterial
    let deviations: JWKDeviations

    init(_ jwk: JSONValue, use: KeyUse = .signatures, form: JWKForm = .exact) throws(JSONWebKeyRejection) {
        guard jwk.kind == .object else { throw .notObject }
        var members = JWKMembers(jwk, form)
        keyType = try Self.keyType(of: members)
        keyID = try Self.keyID(of: members)
        try Self.checkPurpose(of: members, use)
        material = try PublicKeyMaterial(&members, keyType: keyType)
        algorithms = try Self.algorithms(of: members, keyType: keyType, curve: material.curve)
        issuer = members[member: "issuer"]?.string
        deviations = members.deviations
    }

    /// Makes the description of a key that has none of a JWK's other members. It may be used with all algorithms of its
    /// type and curve.
    init(keyID: String, material: PublicKeyMaterial) {
        self.keyID = keyID
        self.material = material
        keyType = material.keyType
        algorithms = Self.algorithms(fitting: material.keyType, material.curve)
        issuer = nil
        deviations = []
    }

    private static func keyType(of members: JWKMembers) throws(JSONWebKeyRejection) -> KeyType {
        let name = members[member: "kty"]?.string
        // Checked first: regardless of the key's purpose, the issuer has published a secret.
        if name == "oct" { throw .symmetricKey }
        if isPrivate(members) { throw .privateKey }
        guard let name else { throw .keyTypeMissing }
        guard let keyType = KeyType(rawValue: name) else { throw .keyTypeUnknown }
        return keyType
    }

    /// True if any member of a private key is present, with a value of any JSON type (RFC 7518 §6.2.2, §6.3.2, §6.4.1).
    static func isPrivate(_ members: JWKMembers) -> Bool {
        privateMembers.contains { members[member: $0] != nil }
    }

    private static let privateMembers: [StaticString] = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

    /// The key ID to show for a skipped key. Nil if it has none, or an invalid one.
    static func presentableKeyID(of jwk: JSONValue) -> String? {
        try? keyID(of: JWKMembers(jwk, .published))
    }

    private static func keyID(of members: JWKMembers) throws(JSONWebKeyRejection) -> String? {
        guard let value = members[member: "kid"] else { return nil }
        guard let keyID = value.string, !keyID.isEmpty, keyID.utf8.count <= ProtectedHeader.longestKeyID else {
            throw .keyIDInvalid
        }
        return keyID
    }

    private static func checkPurpose(of members: JWKMembers, _ wanted: KeyUse) throws(JSONWebKeyRejection) {
        if let use = members[member: "use"], !wanted.names.contains(where: { use.isString(equalTo: $0) }) {
            throw .notForSignatures
        }
        if let operations = members[member: "key_ops"] {
            guard operations.elements.contains(where: { operation in operation.isString(equalTo: "verify") }) else {
                throw .notForVerification
            }
        }
    }

    private static func algorithms(
        of members: JWKMembers, keyType: KeyType, curve: Curve?
    ) throws(JSONWebKeyRejection) -> SignatureAlgorithmSet {
        let fitting = Self.algorithms(fitting: keyType, curve)
        guard let value = members[member: "alg"] else { return fitting }
        guard let name = value.string, let named = HeaderAlgorithm(name: name) else { throw .algorithmUnknown }
        let allowed = fitting.intersection(named.algorithms)
        guard !allowed.isEmpty else { throw .algorithmMismatch }
        return allowed
    }

    private static func algorithms(fitting keyType: KeyType, _ curve: Curve?) -> SignatureAlgorithmSet {
        SignatureAlgorithmSet(
            SignatureAlgorithm.allCases.filter { algorithm in algorithm.keyType == keyType && algorithm.curve == curve }
        )
    }
}
