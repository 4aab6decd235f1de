import Foundation
import JOSE
import JOSESigning
import Testing

/// Keys in the spellings that servers publish.
@Suite struct PublishedKeyTests {
    private static let rsa = Result { try SigningKey.generate(.rs256, keyID: "k").publicJWK }

    /// Reads one key of a set.
    private static func read(_ jwk: String) throws -> (
        key: VerificationKey?, skipped: JSONWebKeyRejection?, deviations: JWKDeviations
    ) {
        // Another key in the set, so that it is never empty.
        let other = #"{"kty":"EC","crv":"P-256","kid":"other","x":"\#(p256.x)","y":"\#(p256.y)"}"#
        let set = try keySet([other, jwk])
        let key = set.keys.dropFirst().first
        return (key, set.skipped.first?.reason, set.unusual.first?.deviations ?? [])
    }

    private static let p256 = (
        x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"
    )

    // MARK: - Absence

    @Test(arguments: [
        "use", "alg", "key_ops", "kid", "k", "d", "p", "q", "dp", "dq", "qi", "oth", "x5c", "x5t", "issuer",
    ])
    func `an optional member that is null or an empty array counts as absent`(name: String) throws {
        let jwk = try Self.rsa.get()
        let plain = try Self.read(try editedJWK(jwk, [name: nil]))
        for nothing in [NSNull(), [String]()] as [Any] {
            let found = try Self.read(try editedJWK(jwk, [name: nothing]))
            #expect(found.skipped == nil)
            #expect(found.deviations.isEmpty)
            #expect(found.key?.keyID == (name == "kid" ? nil : "k"))
            #expect(found.key?.algorithms == plain.key?.algorithms)
            #expect(found.key?.thumbprint == plain.key?.thumbprint)
        }
    }

    @Test(arguments: [
        ("kty", JSONWebKeyRejection.keyTypeMissing), ("n", .materialMissing(.modulus)),
        ("e", .materialMissing(.exponent)),
    ])
    func `a required member that is null counts as missing`(name: String, expected: JSONWebKeyRejection) throws {
        #expect(try Self.read(try editedJWK(try Self.rsa.get(), [name: NSNull()])).skipped == expected)
        #expect(try Self.read(try editedJWK(try Self.rsa.get(), [name: [String]()])).skipped == expected)
    }

    @Test func `use or key_ops decides alone what a key is for if the other is absent`() throws {
        let jwk = try Self.rsa.get()
        #expect(try Self.read(try editedJWK(jwk, ["use": "enc", "key_ops": [String]()])).skipped == .notForSignatures)
        #expect(
            try Self.read(try editedJWK(jwk, ["use": NSNull(), "key_ops": ["encrypt"]])).skipped == .notForVerification)
    }

    @Test(arguments: ["d", "p", "q", "dp", "dq", "qi", "k", "oth"])
    func `a private member with any value but null or an empty array makes a private key (T345)`(name: String) throws {
        for value in ["AQAB", "", 7, 0, false, ["": 0], [""], [NSNull()]] as [Any] {
            #expect(try Self.read(try editedJWK(try Self.rsa.get(), [name: value])).skipped == .privateKey)
            #expect(try Self.read(try editedJWK(try Self.rsa.get(), [name: value, "kty": nil])).skipped == .privateKey)
        }
    }

    @Test func `a key that is not from a key set is read strictly`() throws {
        let jwk = try Self.rsa.get()
        #expect(throws: JSONWebKeyRejection.privateKey) { try verificationKey(try editedJWK(jwk, ["d": NSNull()])) }
        #expect(throws: JSONWebKeyRejection.notForSignatures) {
            try verificationKey(try editedJWK(jwk, ["use": NSNull()]))
        }
        #expect(throws: JSONWebKeyRejection.materialMalformed(.exponent)) {
            try verificationKey(try editedJWK(jwk, ["e": "AQAB===="]))
        }
    }

    // MARK: - Base64

    /// A modulus of this many bytes whose base64 uses the digits in which the two alphabets differ.
    private static func modulus(_ count: Int) -> [UInt8] {
        [0xFB, 0xEF, 0xBF] + [UInt8](repeating: 0x5A, count: count - 4) + [0xFF]
    }

    private static func jwk(n: String, e: String = "AQAB") -> String {
        #"{"kty":"RSA","kid":"k","n":"\#(n)","e":"\#(e)"}"#
    }

    private static func standard(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    @Test(arguments: [256, 257, 258])
    func `key material is accepted in both base64 alphabets, with and without padding`(count: Int) throws {
        let modulus = Self.modulus(count)
        let exact = Base64URL.encode(modulus)
        let padding = String(repeating: "=", count: (4 - exact.utf8.count % 4) % 4)
        let standard = Self.standard(modulus)
        let plain = try Self.read(Self.jwk(n: exact))
        #expect(plain.deviations.isEmpty)
        let padded: JWKDeviations = padding.isEmpty ? [] : .padding
        for (text, deviations) in [
            (exact + padding, padded), (standard, padded.union(.standardAlphabet)),
            (standard.replacing("=", with: ""), .standardAlphabet),
        ] as [(String, JWKDeviations)] {
            let found = try Self.read(Self.jwk(n: text))
            #expect(found.key?.thumbprint == plain.key?.thumbprint)
            #expect(found.deviations == deviations)
        }
    }

    @Test(arguments: [
        "AQAB=", "AQAB==", "AQABAQ=", "AQABAQ===", "AQ==AB", "=AQAB", "AQA B", "AQAB\\n", "AQB", "AQABAR==", "AQABA",
        "*QAB", "====",
    ])
    func `base64 with an ambiguous value is refused, padded or not`(text: String) throws {
        #expect(
            try Self.read(Self.jwk(n: Base64URL.encode(Self.modulus(256)), e: text)).skipped
                == .materialMalformed(.exponent))
    }

    @Test
    func `a key in two base64 spellings counts once, and different keys with one ID are refused (T351, T354)`()
        throws
    {
        let (one, other) = (Self.modulus(256), Self.modulus(257))
        let same = try keySet([Self.jwk(n: Base64URL.encode(one)), Self.jwk(n: Self.standard(one))])
        #expect(same.keys.count == 1)
        #expect(same.skipped.isEmpty)
        #expect(same.unusual == [UnusualKey(keyID: "k", index: 1, deviations: [.padding, .standardAlphabet])])
        do throws(KeySetRejection) {
            _ = try keySet([Self.jwk(n: Base64URL.encode(one)), Self.jwk(n: Self.standard(other))])
            Issue.record("two keys of one ID")
        } catch {
            #expect(
                error
                    == .noUsableKey([
                        SkippedKey(keyID: "k", index: 0, reason: .duplicateKeyID),
                        SkippedKey(keyID: "k", index: 1, reason: .duplicateKeyID),
                    ]))
        }
    }

    // MARK: - Coordinates

    @Test(arguments: PublishedPoint.withLeadingZeros)
    func `a coordinate without its leading zeros is accepted as the same point`(_ point: PublishedPoint) throws {
        let full = try Self.read(point.jwk(x: point.x, y: point.y))
        let short = try Self.read(point.jwk(x: point.x.withoutLeadingZeros, y: point.y.withoutLeadingZeros))
        #expect(full.skipped == nil)
        #expect(full.deviations.isEmpty)
        #expect(short.key?.thumbprint == full.key?.thumbprint)
        #expect(short.key?.thumbprint != nil)
        #expect(short.deviations == .shortCoordinate)
    }

    @Test func `a too long coordinate is refused, and so is one without its trailing zeros`() throws {
        let point = try #require(PublishedPoint.withLeadingZeros.first)
        #expect(try Self.read(point.jwk(x: [0] + point.x, y: point.y)).skipped == .coordinateLength(.x))
        #expect(try Self.read(point.jwk(x: point.x, y: [0] + point.y)).skipped == .coordinateLength(.y))
        #expect(try Self.read(point.jwk(x: Array(point.x.dropLast()), y: point.y)).skipped == .pointInvalid)
        #expect(try Self.read(point.jwk(x: [], y: point.y)).skipped == .materialMalformed(.x))
    }

    @Test func `an Edwards key without its leading zeros is refused`() throws {
        let jwk = #"{"kty":"OKP","crv":"Ed25519","x":"\#(Base64URL.encode([UInt8](repeating: 7, count: 31)))"}"#
        #expect(try Self.read(jwk).skipped == .coordinateLength(.x))
    }

    // MARK: - Words

    @Test func `skipped and unusually written keys are described`() throws {
        let skipped = [
            SkippedKey(keyID: "k1", algorithm: .rs256, index: 0, reason: .duplicateKeyID),
            SkippedKey(keyID: nil, index: 2, reason: .materialMissing(.modulus)),
            SkippedKey(keyID: "a\u{1B}[31m", index: 3, reason: .privateKey),
        ]
        #expect(
            SkippedKey.listed(skipped)
                == "key 0 `k1` (RS256): a different key of the set has the same `kid` and type, so neither is used; "
                + "key 2: `n` is missing; key 3 `a\u{FFFD}[31m`: it is a private key, so a secret is published")
        #expect(SkippedKey.listed(skipped, most: 1).hasSuffix("is used; and 2 more"))
        let unusual = UnusualKey(keyID: "k1", index: 0, deviations: [.padding, .standardAlphabet, .shortCoordinate])
        #expect(
            "\(unusual)"
                == "key 0 `k1`: it is used, but is written with padded base64, the standard base64 alphabet (+ and /), "
                + "a coordinate without its leading zeros")
    }

    @Test func `a set without a usable key is refused with the reason for each key`() throws {
        do throws(KeySetRejection) {
            _ = try keySet([
                #"{"kty":"RSA","kid":"k1","x5c":["MIIC"]}"#, #"{"kty":"RSA","kid":"k2","n":"!","e":"AQAB"}"#,
            ])
            Issue.record("no key was usable")
        } catch {
            #expect(
                "\(error)"
                    == "has no usable key: key 0 `k1`: it has a certificate (`x5c`) in place of the key itself, and certificates are not "
                    + "read; key 1 `k2`: `n` is not base64")
        }
    }
}

/// A point of an elliptic curve.
struct PublishedPoint: Sendable {
    let curve: Curve
    let x: [UInt8]
    let y: [UInt8]

    func jwk(x: [UInt8], y: [UInt8]) -> String {
        #"{"kty":"EC","kid":"k","crv":"\#(curve.rawValue)","x":"\#(Base64URL.encode(x))","y":"\#(Base64URL.encode(y))"}"#
    }

    /// For each curve, points of small private keys with a coordinate that begins with zeros, computed with Python's
    /// cryptography.
    static let withLeadingZeros = [
        PublishedPoint(
            curve: .p256, x: hexadecimal("005543894af3d00ed7d740abdbd75c96b06877b787db5f70eea78b90a8d7c00a"),
            y: hexadecimal("bb4c85a3d8ea29efaafa24406912dd84d5b14dc32bf656ef6c6bd58a5d943f92")),
        PublishedPoint(
            curve: .p256, x: hexadecimal("986ae2506f1ff104d04230861d8f4b498f4bc4c6d009b30f7544dc129b82d28d"),
            y: hexadecimal("003cccc0a6460e0ae328a4d97d3c7b61d86fc6289c189f2525110c441bb07e97")),
        PublishedPoint(
            curve: .p384,
            x: hexadecimal(
                "004d104b26ee5671f72c10c986841d3e65d285e2516161b7baa341b12631b9e32b6f0d5896d8431c51d5d93a37cbc90e"),
            y: hexadecimal(
                "f11a1e3f8b7b90538ee42cc00ee934a6e2ee25541607d8fb65c7a8b11e2f886853886eef3865ec933200b9f25599f29f")),
        PublishedPoint(
            curve: .p384,
            x: hexadecimal(
                "d03aa748f5f48eb3e0c54b683f25d2e2d7d7e3201282a95b57a59ffb8f94cf4c43b1107ca944b9211c351112de16ed18"),
            y: hexadecimal(
                "000a08c602dc5e0031dad088c19305f6b252a2bc3f245f7a5b80b484c7b99f6981c32374c714a7683255f5331f66bb06")),
        PublishedPoint(
            curve: .p521,
            x: hexadecimal(
                "00c6858e06b70404e9cd9e3ecb662395b4429c648139053fb521f828af606b4d3d"
                    + "baa14b5e77efe75928fe1dc127a2ffa8de3348b3c1856a429bf97e7e31c2e5bd66"),
            y: hexadecimal(
                "011839296a789a3bc0045c8a5fb42c7d1bd998f54449579b446817afbd17273e66"
                    + "2c97ee72995ef42640c550b9013fad0761353c7086a272c24088be94769fd16650")),
        PublishedPoint(
            curve: .p521,
            x: hexadecimal(
                "01585389e359e1e21826a2f5bf157156d488ed34541b988746992c4ab145b8c6b6"
                    + "657429e1396134da35f3c556df725a318f4f50babd85cd28661f45627967cbe207"),
            y: hexadecimal(
                "002a2e618c9a8aedf39f0b55557a27ae938e3088a654ee1cebb6c825ba263ddb44"
                    + "6e0d69e5756057ac840ff56ecf4abfd87d736c2ae928880f343aa0ea86b9ad2a4e")),
    ]
}

extension [UInt8] {
    fileprivate var withoutLeadingZeros: [UInt8] { Array(drop { byte in byte == 0 }) }
}
