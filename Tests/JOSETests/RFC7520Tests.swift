import JOSE
import StrictJSON
import Testing

struct RFC7520Tests {
    private static func example(_ name: String) throws -> (token: String, jwk: String) {
        let example = try TestVectors.document("rfc7520-cookbook/jws/\(name).json")
        let key = try #require(example["input"]?["key"])
        return (try #require(example["output"]?["compact"]?.string), String(decoding: key.serialized(), as: UTF8.self))
    }

    private static func publicHalf(_ jwk: String) throws -> String {
        try editedJWK(jwk, ["d": nil, "p": nil, "q": nil, "dp": nil, "dq": nil, "qi": nil])
    }

    @Test(arguments: ["4_1.rsa_v15_signature", "4_2.rsa-pss_signature", "4_3.ecdsa_signature"])
    func `the examples of RFC 7520 verify with the public half of their key`(name: String) throws {
        let (token, jwk) = try Self.example(name)
        #expect(outcome(of: token, key: try verificationKey(try Self.publicHalf(jwk))) == .verified)
        #expect(throws: JSONWebKeyRejection.privateKey) { try verificationKey(jwk) }
    }

    @Test func `the symmetric example of RFC 7520 is refused, its algorithm and its key`() throws {
        let (token, jwk) = try Self.example("4_4.hmac-sha2_integrity_protection")
        #expect(throws: JSONWebKeyRejection.symmetricKey) { try verificationKey(jwk) }
        let other = try Self.publicHalf(try Self.example("4_1.rsa_v15_signature").jwk)
        #expect(outcome(of: token, key: try verificationKey(other)) == .algorithmUnknown)
    }

    @Test func `a detached payload is refused`() throws {
        let (token, _) = try Self.example("4_5.signature_with_detached_content")
        #expect(throws: CompactJWSRejection.emptyPart) { try CompactJWS(token.utf8.span) }
    }

    @Test(arguments: [
        ("4_6.protecting_specific_header_fields", CompactJWSRejection.noDots), ("4_7.protecting_content_only", .noDots),
        ("4_8.multiple_signatures", .encrypted),
    ])
    func `a JWS in JSON serialization is no compact JWS, however many dots its strings contain`(
        name: String, expected: CompactJWSRejection
    ) throws {
        let output = try #require(try TestVectors.document("rfc7520-cookbook/jws/\(name).json")["output"]?["json"])
            .serialized()
        #expect(throws: expected) { try CompactJWS(output.span) }
    }

    @Test(arguments: [
        ("3_2.ec_private_key", JSONWebKeyRejection.privateKey), ("3_4.rsa_private_key", .privateKey),
        ("3_5.symmetric_key_mac_computation", .symmetricKey), ("3_6.symmetric_key_encryption", .symmetricKey),
    ])
    func `a JWK with a secret or private key is refused`(name: String, expected: JSONWebKeyRejection) throws {
        let jwk = try TestVectors.document("rfc7520-cookbook/jwk/\(name).json")
        #expect(throws: expected) { try VerificationKey(jwk: jwk) }
    }

    @Test(arguments: [("3_1.ec_public_key", KeyType.ellipticCurve), ("3_3.rsa_public_key", .rsa)])
    func `a public JWK of RFC 7520 is read`(name: String, keyType: KeyType) throws {
        let key = try VerificationKey(jwk: try TestVectors.document("rfc7520-cookbook/jwk/\(name).json"))
        #expect(key.keyType == keyType)
        #expect(key.keyID == "bilbo.baggins@hobbiton.example")
    }
}
