import JOSE
import JOSESigning
import StrictJSON
import TestSupport
import Testing

struct JSONWebKeyTests {
    private static func rejection(of jwk: String) throws -> JSONWebKeyRejection? {
        let value = try jsonValue(jwk)
        do throws(JSONWebKeyRejection) {
            _ = try VerificationKey(jwk: value)
            return nil
        } catch {
            return error
        }
    }

    // MARK: - RSA

    /// Odd random bytes of exactly this many bits: a modulus of the right shape that nobody can sign for.
    private static func modulus(bits: Int, seed: UInt64 = 11) -> [UInt8] {
        var generator = SeededGenerator(seed: seed)
        var bytes = (0..<(bits + 7) / 8).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let top = UInt8(1 << ((bits - 1) % 8))
        bytes[0] = bytes[0] & (top - 1) | top
        bytes[bytes.count - 1] |= 1
        return bytes
    }

    private static func rsa(_ modulus: [UInt8], exponent: [UInt8] = [1, 0, 1]) -> String {
        #"{"kty":"RSA","n":"\#(Base64URL.encode(modulus))","e":"\#(Base64URL.encode(exponent))"}"#
    }

    @Test(
        arguments: [
            (1024, .modulusTooShort), (2047, .modulusTooShort), (2048, nil), (2049, nil), (3072, nil), (4096, nil),
            (4097, nil),
            (8192, nil),
            (8193, .modulusTooLong), (16_384, .modulusTooLong),
        ] as [(Int, JSONWebKeyRejection?)])
    func `a modulus has 2,048 to 8,192 bits (T346)`(bits: Int, expected: JSONWebKeyRejection?) throws {
        #expect(try Self.rejection(of: Self.rsa(Self.modulus(bits: bits))) == expected)
    }

    @Test func `one leading zero byte of a modulus is ignored, and two are refused (T346)`() throws {
        let modulus = Self.modulus(bits: 2048)
        let plain = try verificationKey(Self.rsa(modulus))
        #expect(try verificationKey(Self.rsa([0] + modulus)).thumbprint == plain.thumbprint)
        #expect(try Self.rejection(of: Self.rsa([0, 0] + modulus)) == .modulusInvalid)
        #expect(try Self.rejection(of: Self.rsa([0] + Self.modulus(bits: 2047))) == .modulusTooShort)
    }

    @Test func `an even modulus is refused, and so is zero (T346)`() throws {
        var even = Self.modulus(bits: 2048)
        even[even.count - 1] &= 0xFE
        #expect(try Self.rejection(of: Self.rsa(even)) == .modulusInvalid)
        #expect(try Self.rejection(of: Self.rsa([0])) == .modulusInvalid)
        #expect(try Self.rejection(of: Self.rsa([UInt8](repeating: 0, count: 256))) == .modulusInvalid)
    }

    @Test(
        arguments: [
            ([0], .exponentInvalid), ([1], .exponentInvalid), ([2], .exponentInvalid), ([3], nil), ([1, 0, 1], nil),
            ([0, 1, 0, 1], nil),
            ([1, 0, 0], .exponentInvalid), ([0xFF, 0xFF, 0xFF, 0xFF], nil), ([1, 0, 0, 0, 1], .exponentInvalid),
            ([UInt8](repeating: 0xFF, count: 256), .exponentInvalid),
        ] as [([UInt8], JSONWebKeyRejection?)])
    func `an exponent is odd, at least three and at most 32 bits (T347)`(
        exponent: [UInt8], expected: JSONWebKeyRejection?
    ) throws {
        #expect(try Self.rejection(of: Self.rsa(Self.modulus(bits: 2048), exponent: exponent)) == expected)
    }

    @Test func `a modulus with the fingerprint of the ROCA generator is refused (T348)`() throws {
        // 65537^128 has 2,049 bits and is a power of 65537 modulo every prime, as the moduli of CVE-2017-15361 are
        // modulo the small ones.
        var power: [UInt8] = [1]
        for _ in 0..<128 { power = Self.sum(power + [0, 0], [0, 0] + power) }
        #expect(power.count == 257)
        #expect(try Self.rejection(of: Self.rsa(power)) == .modulusWeak)
    }

    private static func sum(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
        var carry = 0
        var digits = zip(left, right).reversed().map { a, b in
            let digit = Int(a) + Int(b) + carry
            carry = digit >> 8
            return UInt8(digit & 0xFF)
        }
        if carry > 0 { digits.append(UInt8(carry)) }
        return digits.reversed()
    }

    @Test func `no random modulus has the ROCA fingerprint`() throws {
        for seed in 0..<200 as Range<UInt64> {
            #expect(try Self.rejection(of: Self.rsa(Self.modulus(bits: 2048, seed: seed))) == nil)
        }
    }

    // MARK: - Elliptic curves

    private static let p256 = (
        x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"
    )

    private static func point(_ x: String, _ y: String, curve: String = "P-256", more: String = "") -> String {
        #"{"kty":"EC","crv":"\#(curve)","x":"\#(x)","y":"\#(y)"\#(more)}"#
    }

    @Test func `a point on the curve is accepted`() throws {
        #expect(try Self.rejection(of: Self.point(Self.p256.x, Self.p256.y)) == nil)
    }

    @Test func `a point off the curve, at infinity or beyond the field is refused (T349)`() throws {
        let zero = Base64URL.encode([UInt8](repeating: 0, count: 32))
        let ones = Base64URL.encode([UInt8](repeating: 0xFF, count: 32))
        #expect(try Self.rejection(of: Self.point(Self.p256.y, Self.p256.x)) == .pointInvalid)
        #expect(try Self.rejection(of: Self.point(zero, zero)) == .pointInvalid)
        #expect(try Self.rejection(of: Self.point(ones, Self.p256.y)) == .pointInvalid)
        #expect(try Self.rejection(of: Self.point(Self.p256.x, ones)) == .pointInvalid)
    }

    @Test func `a coordinate not below the field's prime is refused, even if its residue is on the curve`() throws {
        // The curve has a point at x = 0; the prime itself denotes the same x in the field.
        let zero = Base64URL.encode([UInt8](repeating: 0, count: 32))
        let prime = Base64URL.encode(hexadecimal("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"))
        let y = Base64URL.encode(hexadecimal("66485c780e2f83d72433bd5d84a06bb6541c2af31dae871728bf856a174f93f4"))
        #expect(try Self.rejection(of: Self.point(zero, y)) == nil)
        #expect(try Self.rejection(of: Self.point(prime, y)) == .pointInvalid)
    }

    @Test func `a coordinate must have exactly the length of the curve (T349)`() throws {
        let x = try #require(Base64URL.decode(Self.p256.x))
        #expect(try Self.rejection(of: Self.point(Base64URL.encode([0] + x), Self.p256.y)) == .coordinateLength(.x))
        #expect(
            try Self.rejection(of: Self.point(Base64URL.encode(Array(x.dropFirst())), Self.p256.y))
                == .coordinateLength(.x))
        #expect(try Self.rejection(of: Self.point(Self.p256.x, Self.p256.y, curve: "P-384")) == .coordinateLength(.x))
        #expect(try Self.rejection(of: Self.point("", Self.p256.y)) == .materialMalformed(.x))
        #expect(try Self.rejection(of: Self.point(Self.p256.x, Base64URL.encode([0] + x))) == .coordinateLength(.y))
    }

    @Test(arguments: ["p-256", "secp256k1", "P-224", "Ed25519", "", "P-256 "])
    func `an unknown curve is refused`(curve: String) throws {
        #expect(try Self.rejection(of: Self.point(Self.p256.x, Self.p256.y, curve: curve)) == .curveUnknown)
    }

    @Test(arguments: [
        ("ES521", JSONWebKeyRejection.algorithmUnknown), ("ES224", .algorithmUnknown), ("ES384", .algorithmMismatch),
        ("ES512", .algorithmMismatch),
        ("RS256", .algorithmMismatch), ("EdDSA", .algorithmMismatch), ("HS256", .algorithmUnknown),
        ("none", .algorithmUnknown),
    ])
    func `the alg of an EC key must be an algorithm of its curve`(name: String, expected: JSONWebKeyRejection) throws {
        #expect(try Self.rejection(of: Self.point(Self.p256.x, Self.p256.y, more: #","alg":"\#(name)""#)) == expected)
    }

    // MARK: - Octet key pairs

    private static func edwards(_ x: [UInt8], curve: String = "Ed25519") -> String {
        #"{"kty":"OKP","crv":"\#(curve)","x":"\#(Base64URL.encode(x))"}"#
    }

    @Test(arguments: [(31, "Ed25519"), (33, "Ed25519"), (57, "Ed25519"), (56, "Ed448"), (58, "Ed448"), (32, "Ed448")])
    func `an Edwards key must have exactly the length of its curve (T350)`(length: Int, curve: String) throws {
        #expect(
            try Self.rejection(of: Self.edwards([UInt8](repeating: 7, count: length), curve: curve))
                == .coordinateLength(.x))
    }

    @Test(arguments: [
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
        "0100000000000000000000000000000000000000000000000000000000000080",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    ])
    func `the low-order points of Ed25519 are refused, also with an impossible sign (T350)`(point: String) throws {
        #expect(try Self.rejection(of: Self.edwards(hexadecimal(point))) == .pointOfSmallOrder)
    }

    @Test(arguments: ["ed", "ee", "ef", "f0", "ff"])
    func `an Ed25519 coordinate that is not reduced is refused`(first: String) throws {
        let rest = String(repeating: "ff", count: 30)
        #expect(try Self.rejection(of: Self.edwards(hexadecimal(first + rest + "7f"))) == .pointInvalid)
        #expect(try Self.rejection(of: Self.edwards(hexadecimal(first + rest + "ff"))) == .pointInvalid)
    }

    @Test func `the low-order points of Ed448 are refused, and so are coordinates that are not reduced`() throws {
        let zeros = [UInt8](repeating: 0, count: 56)
        let minusOne = [0xFE] + [UInt8](repeating: 0xFF, count: 27) + [0xFE] + [UInt8](repeating: 0xFF, count: 27)
        let prime = [UInt8](repeating: 0xFF, count: 28) + [0xFE] + [UInt8](repeating: 0xFF, count: 27)
        for sign in [0, 0x80] as [UInt8] {
            #expect(try Self.rejection(of: Self.edwards(zeros + [sign], curve: "Ed448")) == .pointOfSmallOrder)
            #expect(
                try Self.rejection(of: Self.edwards([1] + zeros.dropFirst() + [sign], curve: "Ed448"))
                    == .pointOfSmallOrder)
            #expect(try Self.rejection(of: Self.edwards(minusOne + [sign], curve: "Ed448")) == .pointOfSmallOrder)
            #expect(try Self.rejection(of: Self.edwards(prime + [sign], curve: "Ed448")) == .pointInvalid)
            #expect(try Self.rejection(of: Self.edwards(zeros + [sign | 1], curve: "Ed448")) == .pointInvalid)
        }
    }

    @Test(arguments: ["X25519", "X448", "P-256", "ed25519"])
    func `a curve without signatures is refused (T069)`(curve: String) throws {
        #expect(try Self.rejection(of: Self.edwards([UInt8](repeating: 7, count: 32), curve: curve)) == .curveUnknown)
    }

    // MARK: - Members

    @Test(arguments: ["7", "null", "[]", #""RSA""#, "true"])
    func `an entry of a key set that is no object is refused as key (T344)`(text: String) throws {
        let entry = try #require(try jsonValue("[\(text)]")[index: 0])
        #expect(throws: JSONWebKeyRejection.notObject) { try VerificationKey(jwk: entry) }
    }

    @Test(arguments: [
        ("{}", JSONWebKeyRejection.keyTypeMissing), (#"{"kty":7}"#, .keyTypeMissing),
        (#"{"kty":null}"#, .keyTypeMissing),
        (#"{"kty":"rsa"}"#, .keyTypeUnknown), (#"{"kty":"AKP"}"#, .keyTypeUnknown),
        (#"{"kty":"oct","k":"AAAA"}"#, .symmetricKey),
        (#"{"kty":"oct"}"#, .symmetricKey), (#"{"kty":"AKP","priv":"A","d":"A"}"#, .privateKey),
        (#"{"kty":"RSA"}"#, .materialMissing(.modulus)), (#"{"kty":"RSA","n":"AQAB"}"#, .materialMissing(.exponent)),
        (#"{"kty":"RSA","x5c":["MIIC"]}"#, .onlyCertificate), (#"{"kty":"EC"}"#, .curveUnknown),
        (#"{"kty":"OKP","crv":"Ed25519"}"#, .materialMissing(.x)),
    ])
    func `the key type decides which members are required`(jwk: String, expected: JSONWebKeyRejection) throws {
        #expect(try Self.rejection(of: jwk) == expected)
    }

    @Test(arguments: ["d", "p", "q", "dp", "dq", "qi", "oth", "k"])
    func `a key with a private member is refused, whatever its use (T345)`(member: String) throws {
        let jwk = Self.rsa(Self.modulus(bits: 2048))
        #expect(try Self.rejection(of: try editedJWK(jwk, [member: "AQAB"])) == .privateKey)
        #expect(try Self.rejection(of: try editedJWK(jwk, [member: "AQAB", "use": "enc"])) == .privateKey)
        #expect(try Self.rejection(of: try editedJWK(jwk, [member: 7])) == .privateKey)
    }

    @Test(
        arguments: [
            ("kid", 7, JSONWebKeyRejection.keyIDInvalid), ("kid", "", .keyIDInvalid),
            ("kid", String(repeating: "k", count: 257), .keyIDInvalid),
            ("kid", ["k"], .keyIDInvalid), ("use", "enc", .notForSignatures), ("use", "SIG", .notForSignatures),
            ("use", "jwt-svid", .notForSignatures),
            ("use", 7, .notForSignatures),
            ("key_ops", ["sign"], .notForVerification), ("key_ops", [String](), .notForVerification),
            ("key_ops", "verify", .notForVerification),
            ("key_ops", ["encrypt", "wrapKey"], .notForVerification), ("alg", 7, .algorithmUnknown),
            ("alg", "RSA-OAEP", .algorithmUnknown),
            ("alg", "RSA1_5", .algorithmUnknown), ("alg", "ES256", .algorithmMismatch),
            ("alg", "EdDSA", .algorithmMismatch),
            ("n", 7, .materialMalformed(.modulus)), ("n", "", .materialMalformed(.modulus)),
            ("n", "AQAB==", .materialMalformed(.modulus)),
            ("n", "AQ+B", .materialMalformed(.modulus)),
            ("n", "AQ/B", .materialMalformed(.modulus)), ("n", "AQAB A", .materialMalformed(.modulus)),
            ("e", "AQABB", .materialMalformed(.exponent)),
            ("e", ["AQAB"], .materialMalformed(.exponent)),
        ] as [(String, any Sendable, JSONWebKeyRejection)])
    func `a member with an unsuitable value causes the key to be skipped (T344, T106, T354)`(
        name: String, value: any Sendable, expected: JSONWebKeyRejection
    )
        throws
    {
        #expect(try Self.rejection(of: try editedJWK(Self.rsa(Self.modulus(bits: 2048)), [name: value])) == expected)
    }

    @Test(
        arguments: [
            ("kid", String(repeating: "k", count: 256)), ("use", "sig"), ("key_ops", ["sign", "verify"]),
            ("x5c", ["MIIC"]), ("x5t", "abc"),
            ("nbf", 1_493_763_266),
            ("cloud_instance_name", "microsoftonline.com"), ("ext", true),
        ] as [(String, any Sendable)])
    func `unknown and unrelated members of a key are ignored (T343)`(name: String, value: any Sendable) throws {
        #expect(try Self.rejection(of: try editedJWK(Self.rsa(Self.modulus(bits: 2048)), [name: value])) == nil)
    }

    @Test func `the alg of a key limits the algorithms it is used for`() throws {
        let rsa = Self.rsa(Self.modulus(bits: 2048))
        #expect(try verificationKey(rsa).algorithms == [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512])
        #expect(try verificationKey(try editedJWK(rsa, ["alg": "PS384"])).algorithms == [.ps384])
        let edwards = try SigningKey.generate(.ed448, keyID: "k").publicJWK
        #expect(try verificationKey(try editedJWK(edwards, ["alg": nil])).algorithms == [.ed448])
        #expect(try verificationKey(try editedJWK(edwards, ["alg": "EdDSA"])).algorithms == [.ed448])
        #expect(try Self.rejection(of: try editedJWK(edwards, ["alg": "Ed25519"])) == .algorithmMismatch)
    }

    @Test func `the issuer member of Entra's keys is kept`() throws {
        let jwk = try editedJWK(
            Self.rsa(Self.modulus(bits: 2048)), ["issuer": "https://login.microsoftonline.com/{tenantid}/v2.0"])
        #expect(try verificationKey(jwk).issuer == "https://login.microsoftonline.com/{tenantid}/v2.0")
    }

    @Test func `thumbprints match the examples of the RFCs`() throws {
        let modulus = [
            "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjB",
            "ZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8",
            "KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_",
            "xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw",
        ].joined()
        let rsa = try verificationKey(#"{"kty":"RSA","e":"AQAB","alg":"RS256","kid":"2011-04-29","n":"\#(modulus)"}"#)
        #expect(Base64URL.encode(rsa.thumbprint) == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
        let edwards = try verificationKey(
            #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#)
        #expect(Base64URL.encode(edwards.thumbprint) == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
    }
}
