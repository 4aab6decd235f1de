import PrecomputedECDSA
import StrictJSON
import TestSupport
import Testing

@testable import JOSE

struct WycheproofTests {
    // MARK: - Compact JWS

    /// Marked invalid, but identical to the valid token of another case: the padding was lost when the file was made.
    private static let validAfterAll: Set<Int64> = [367, 370]
    /// Marked valid with a `?` inside a base64url part.
    private static let notBase64URL: Set<Int64> = [372, 373]
    /// Marked valid although the key's `alg` differs from the token's.
    private static let otherAlgorithm: Set<Int64> = [346, 347, 350, 351]

    /// Marked valid, with an empty payload. The signature is good; the token is refused because it has no claims.
    private static let emptyPayload: Set<Int64> = [259, 264, 268, 272, 320, 325]

    @Test func `exactly the valid ones of Wycheproof's 401 tokens verify (T053)`() throws {
        var accepted = 0
        var refused = 0
        for group in try #require(try TestVectors.wycheproof("json_web_signature_test")["testGroups"]).elements {
            let jwk = try #require(group["public"] ?? group["private"])
            let key = try? VerificationKey(jwk: jwk)
            for test in try #require(group["tests"]).elements {
                let verified = try key.map { key in try Self.verifies(test, key: key) } ?? false
                if verified { accepted += 1 } else { refused += 1 }
                #expect(try verified == Self.shouldVerify(test, jwk: jwk), "tcId \(test["tcId"]?.integer ?? 0)")
            }
        }
        #expect(accepted == 32)
        #expect(refused == 369)
    }

    private static func verifies(_ test: JSONValue, key: VerificationKey) throws -> Bool {
        let token = try #require(test["jws"]?.string)
        guard emptyPayload.contains(try #require(test["tcId"]?.integer)) else {
            return outcome(of: token, key: key) == .verified
        }
        #expect(outcome(of: token, key: key) == .notCompact(.emptyPart))
        let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let json = try #require(Base64URL.decode(parts[0]))
        let header = try ProtectedHeader(parsing: json.span)
        let algorithm = try #require(header.algorithm?.resolved(for: key.algorithms))
        let signature = try #require(Base64URL.decode(parts[2]))
        return key.verify(signature: signature.span, signingInput: (parts[0] + ".").utf8.span, algorithm: algorithm)
            == .valid
    }

    private static func shouldVerify(_ test: JSONValue, jwk: JSONValue) throws -> Bool {
        let id = try #require(test["tcId"]?.integer)
        // HMAC is not supported: a symmetric key is always refused.
        if jwk["kty"]?.string == "oct" || notBase64URL.contains(id) || otherAlgorithm.contains(id) { return false }
        return test["result"]?.string == "valid" || validAfterAll.contains(id)
    }

    @Test func `tokens refused for the key's alg verify with the same key without alg`() throws {
        var verified: Set<Int64> = []
        for group in try #require(try TestVectors.wycheproof("json_web_signature_test")["testGroups"]).elements {
            for test in try #require(group["tests"]).elements {
                guard let id = test["tcId"]?.integer, Self.otherAlgorithm.contains(id) else { continue }
                let jwk = try #require(group["public"]).serialized()
                let key = try verificationKey(try editedJWK(String(decoding: jwk, as: UTF8.self), ["alg": nil]))
                if outcome(of: try #require(test["jws"]?.string), key: key) == .verified { verified.insert(id) }
            }
        }
        #expect(verified == Self.otherAlgorithm)
    }

    @Test func `a question mark inside a part of a token is refused`() throws {
        for group in try #require(try TestVectors.wycheproof("json_web_signature_test")["testGroups"]).elements {
            for test in try #require(group["tests"]).elements {
                guard let id = test["tcId"]?.integer, Self.notBase64URL.contains(id) else { continue }
                let token = try #require(test["jws"]?.string)
                #expect(throws: CompactJWSRejection.notBase64URL) { try CompactJWS(token.utf8.span) }
            }
        }
    }

    // MARK: - Primitives

    @Test(arguments: [
        ("rsa_signature_2048_sha256_test", SignatureAlgorithm.rs256, 259),
        ("rsa_signature_3072_sha384_test", .rs384, 259),
        ("rsa_pss_2048_sha256_mgf1_32_test", .ps256, 108),
        ("ecdsa_secp256r1_sha256_p1363_test", .es256, 262),
        ("ecdsa_secp384r1_sha384_p1363_test", .es384, 280),
        ("ed25519_test", .ed25519, 151),
    ])
    func `exactly the valid Wycheproof signatures verify (T101, T103, T104, T111)`(
        file: String, algorithm: SignatureAlgorithm, count: Int
    ) throws {
        var seen = 0
        for group in try #require(try TestVectors.wycheproof(file)["testGroups"]).elements {
            let key = try verificationKey(try Self.jwk(of: group))
            for test in try #require(group["tests"]).elements {
                let (message, signature) = (
                    try #require(test.hexadecimal("msg")), try #require(test.hexadecimal("sig"))
                )
                let verdict = key.verify(signature: signature.span, signingInput: message.span, algorithm: algorithm)
                #expect(
                    verdict == (test["result"]?.string == "valid" ? .valid : .invalid),
                    "tcId \(test["tcId"]?.integer ?? 0)")
                seen += 1
            }
        }
        #expect(seen == count)
    }

    /// Curves and digests of the files of ECDSA signatures, with the number of signatures. Those in DER count if their
    /// form can be JOSE's: two numbers of the curve's length.
    @Test(
        arguments: Effort.some(
            [
                ("ecdsa_secp256r1_sha512_p1363_test", PrimeCurve.p256, DigestAlgorithm.sha512),
                ("ecdsa_secp384r1_sha384_p1363_test", .p384, .sha384),
                ("ecdsa_secp521r1_sha512_p1363_test", .p521, .sha512),
                ("ecdsa_secp256r1_sha256_p1363_test", .p256, .sha256),
                ("ecdsa_secp256r1_sha256_test", .p256, .sha256),
                ("ecdsa_secp256r1_sha512_test", .p256, .sha512),
                ("ecdsa_secp384r1_sha256_test", .p384, .sha256),
                ("ecdsa_secp384r1_sha384_test", .p384, .sha384),
                ("ecdsa_secp384r1_sha512_p1363_test", .p384, .sha512),
                ("ecdsa_secp384r1_sha512_test", .p384, .sha512),
                ("ecdsa_secp521r1_sha512_test", .p521, .sha512),
            ], quick: 3))
    func `exactly the valid Wycheproof signatures verify by tables`(
        file: String, curve: PrimeCurve, digest: DigestAlgorithm
    ) throws {
        var (seen, valid) = (0, 0)
        for group in try #require(try TestVectors.wycheproof(file)["testGroups"]).elements {
            let key = try #require(group["publicKey"])
            let point = try #require(key.hexadecimal("uncompressed"))
            let table = try KeyTable(
                curve, x: Array(point.dropFirst().prefix(curve.byteCount)), y: Array(point.suffix(curve.byteCount)))
            for test in try #require(group["tests"]).elements {
                let (message, signature) = (
                    try #require(test.hexadecimal("msg")), try #require(test.hexadecimal("sig"))
                )
                let isDER = !file.contains("p1363")
                guard let form = isDER ? Self.fixedLength(signature, curve.byteCount) : signature else { continue }
                guard let digest = LibraryDigest.digest(message.span, with: digest) else {
                    Issue.record("no digest")
                    continue
                }
                #expect(
                    table.verify(signature: form.span, digest: digest.span) == (test["result"]?.string == "valid"),
                    "tcId \(test["tcId"]?.integer ?? 0)")
                seen += 1
                valid += test["result"]?.string == "valid" ? 1 : 0
            }
        }
        #expect(seen > 200 && valid > 100)
    }

    /// r and s of a signature in DER, each in the length of a coordinate. Nil if it is not strict DER of two positive
    /// numbers of that length.
    private static func fixedLength(_ signature: [UInt8], _ length: Int) -> [UInt8]? {
        guard let parts = numbers(inDER: signature), parts.allSatisfy({ $0.count <= length }) else { return nil }
        let padded = parts.flatMap { [UInt8](repeating: 0, count: length - $0.count) + $0 }
        let encoding = ECDSASignatureEncoding(padded.span)
        return (0..<encoding.count).map({ encoding.bytes[$0] }) == signature ? padded : nil
    }

    /// The contents of two numbers at the beginning of a sequence, without leading zeros. Nil for another form.
    private static func numbers(inDER bytes: [UInt8]) -> [[UInt8]]? {
        var rest = bytes.dropFirst(bytes.dropFirst().first ?? 0 >= 0x80 ? 3 : 2)
        var numbers: [[UInt8]] = []
        for _ in 0..<2 {
            guard rest.popFirst() == 2, let count = rest.popFirst(), count < 0x80, rest.count >= Int(count) else {
                return nil
            }
            numbers.append(Array(rest.prefix(Int(count)).drop { $0 == 0 }))
            rest = rest.dropFirst(Int(count))
        }
        return numbers
    }

    private static func jwk(of group: JSONValue) throws -> String {
        if let jwk = group["publicKeyJwk"] { return String(decoding: jwk.serialized(), as: UTF8.self) }
        let key = try #require(group["publicKey"])
        if let x = key.hexadecimal("wx"), let y = key.hexadecimal("wy"), let curve = key["curve"]?.string {
            let byteCount = curve == "secp256r1" ? 32 : 48
            let coordinate = { (bytes: [UInt8]) in
                Base64URL.encode(
                    [UInt8](repeating: 0, count: max(0, byteCount - bytes.count)) + bytes.suffix(byteCount))
            }
            return #"{"kty":"EC","crv":"P-\#(byteCount * 8)","x":"\#(coordinate(x))","y":"\#(coordinate(y))"}"#
        }
        let modulus = Base64URL.encode(try #require(key.hexadecimal("modulus")))
        let exponent = Base64URL.encode(try #require(key.hexadecimal("publicExponent")))
        return #"{"kty":"RSA","n":"\#(modulus)","e":"\#(exponent)"}"#
    }
}
