import StrictJSON
import Testing

@testable import JOSE
@testable import JOSESigning

struct VerificationKeyTests {
    private static let claims = #"{"iss":"https://id.example","aud":"api","exp":2000000000}"#

    // MARK: - Round trips

    @Test(arguments: SignatureAlgorithm.allCases)
    func `a signature by the signing key is verified by its public key`(algorithm: SignatureAlgorithm) throws {
        let signing = try SigningKey.generate(algorithm, keyID: "k")
        let key = try verificationKey(signing.publicJWK)
        for number in 0..<5 {
            let token = signing.token(claimsJSON: #"{"number":\#(number)}"#)
            #expect(outcome(of: token, key: key) == .verified)
            #expect(
                outcome(of: token.replacing(".", with: ".AAAA", maxReplacements: 1), key: key) == .signature(.invalid))
        }
        #expect(LibraryErrors.isEmpty)
    }

    @Test(arguments: [SignatureAlgorithm.ed25519, .ed448])
    func `a token may have the alg EdDSA (T069)`(algorithm: SignatureAlgorithm) throws {
        let signing = try SigningKey.generate(algorithm, keyID: "k")
        let token = signing.compactJWS(header: #"{"alg":"EdDSA"}"#, payload: Self.claims)
        #expect(outcome(of: token, key: try verificationKey(signing.publicJWK)) == .verified)
    }

    @Test(arguments: [3072, 4096])
    func `signatures with larger moduli verify`(bits: Int) throws {
        let signing = try SigningKey.generate(.rs256, keyID: "k", rsaBits: bits)
        #expect(
            outcome(of: signing.token(claimsJSON: Self.claims), key: try verificationKey(signing.publicJWK))
                == .verified)
    }

    @Test func `the generated JWK names key, use and algorithm`() throws {
        let signing = try SigningKey.generate(.es512, keyID: "a \"quoted\" name")
        let jwk = try jsonValue(signing.publicJWK)
        #expect(jwk.members.map(\.name) == ["kty", "kid", "use", "alg", "crv", "x", "y"])
        #expect(jwk["kid"]?.string == "a \"quoted\" name")
        #expect(jwk["alg"]?.string == "ES512")
        #expect(throws: SigningFailure.rsaBitsOutOfRange) { try SigningKey.generate(.rs256, keyID: "k", rsaBits: 512) }
    }

    // MARK: - Which key, which algorithm

    @Test func `a key verifies nothing under an algorithm that it is not for (T066, T068)`() throws {
        let signing = try SigningKey.generate(.rs256, keyID: "k")
        let key = try verificationKey(signing.publicJWK)
        let input = Array("input".utf8)
        for algorithm in SignatureAlgorithm.allCases {
            let fitting = algorithm.keyType == .rsa ? try signing.renamed("k", algorithm: algorithm) : signing
            let verdict = key.verify(
                signature: fitting.sign(input).span, signingInput: input.span, algorithm: algorithm)
            #expect(verdict == (algorithm == .rs256 ? .valid : .invalid))
        }
    }

    @Test func `one RSA key verifies every RSA algorithm in turn`() throws {
        let signing = try SigningKey.generate(.rs256, keyID: "k")
        let key = try verificationKey(try editedJWK(signing.publicJWK, ["alg": nil]))
        let input = Array("input".utf8)
        for _ in 0..<3 {
            for algorithm in SignatureAlgorithm.allCases where algorithm.keyType == .rsa {
                let signature = try signing.renamed("k", algorithm: algorithm).sign(input)
                for other in SignatureAlgorithm.allCases where other.keyType == .rsa {
                    let verdict = key.verify(signature: signature.span, signingInput: input.span, algorithm: other)
                    #expect(verdict == (other == algorithm ? .valid : .invalid))
                }
            }
        }
    }

    @Test func `a signature by another key is invalid`() throws {
        for algorithm in [SignatureAlgorithm.rs256, .ps256, .es256, .ed25519] {
            let (mine, other) = (
                try SigningKey.generate(algorithm, keyID: "k"), try SigningKey.generate(algorithm, keyID: "k")
            )
            let key = try verificationKey(mine.publicJWK)
            #expect(outcome(of: other.token(claimsJSON: Self.claims), key: key) == .signature(.invalid))
        }
    }

    // MARK: - Forms of a signature

    @Test(arguments: [SignatureAlgorithm.es256, .es384, .es512, .ed25519, .ed448, .rs256, .ps256])
    func `a signature must have exactly the length for its algorithm (T098)`(algorithm: SignatureAlgorithm) throws {
        let signing = try SigningKey.generate(algorithm, keyID: "k")
        let key = try verificationKey(signing.publicJWK)
        let input = Array("input".utf8)
        let signature = signing.sign(input)
        let others = [
            [], Array(signature.dropLast()), Array(signature.dropFirst()), signature + [0], [0] + signature,
            signature + signature,
        ]
        for other in others {
            #expect(key.verify(signature: other.span, signingInput: input.span, algorithm: algorithm) == .invalid)
        }
        #expect(key.verify(signature: signature.span, signingInput: input.span, algorithm: algorithm) == .valid)
        #expect(LibraryErrors.isEmpty)
    }

    @Test(arguments: [
        (SignatureAlgorithm.es256, "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"),
        (.es384, "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973"),
    ])
    func `zero, the curve order and all ones are invalid as r or s of an ECDSA signature (T096)`(
        algorithm: SignatureAlgorithm, order: String
    ) throws {
        let signing = try SigningKey.generate(algorithm, keyID: "k")
        let key = try verificationKey(signing.publicJWK)
        let input = Array("input".utf8)
        let good = signing.sign(input)
        let half = good.count / 2
        let bad = [[UInt8](repeating: 0, count: half), hexadecimal(order), [UInt8](repeating: 0xFF, count: half)]
        for value in bad {
            for signature in [value + value, value + good.suffix(half), good.prefix(half) + value] {
                #expect(
                    key.verify(signature: signature.span, signingInput: input.span, algorithm: algorithm) == .invalid)
            }
        }
    }

    @Test func `an ECDSA signature in DER is invalid (T097)`() throws {
        let signing = try SigningKey.generate(.es256, keyID: "k")
        let input = Array("input".utf8)
        let encoding = ECDSASignatureEncoding(signing.sign(input).span)
        let key = try verificationKey(signing.publicJWK)
        #expect(
            key.verify(
                signature: encoding.bytes.span.extracting(first: encoding.count), signingInput: input.span,
                algorithm: .es256)
                == .invalid)
    }

    @Test(arguments: [(SignatureAlgorithm.ps256, Int32(32)), (.ps384, 48), (.ps512, 64)])
    func `a PSS salt must be exactly as long as the digest (T102)`(algorithm: SignatureAlgorithm, digest: Int32) throws
    {
        let signing = try SigningKey.generate(algorithm, keyID: "k")
        let key = try verificationKey(signing.publicJWK)
        let input = Array("input".utf8)
        let longest = Int32(256 - 2) - digest
        for salt in [0, 20, digest - 1, digest, digest + 1, longest] {
            let signature = signing.sign(input, pssSaltByteCount: salt)
            let verdict = key.verify(signature: signature.span, signingInput: input.span, algorithm: algorithm)
            #expect(verdict == (salt == digest ? .valid : .invalid), "salt of \(salt) bytes")
        }
    }

    // MARK: - Mutants

    @Test(arguments: [SignatureAlgorithm.rs256, .es256, .ed25519])
    func `a token with any single character replaced by any other is refused (T050)`(algorithm: SignatureAlgorithm)
        throws
    {
        let signing = try SigningKey.generate(algorithm, keyID: "k")
        let key = try verificationKey(signing.publicJWK)
        let token = Array(signing.token(claimsJSON: #"{"a":1}"#, type: nil).utf8)
        #expect(outcome(of: token, key: key) == .verified)
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.".utf8)
        var verified = 0
        for place in token.indices {
            var mutant = token
            for byte in alphabet where byte != token[place] {
                mutant[place] = byte
                if outcome(of: mutant, key: key) == .verified { verified += 1 }
            }
        }
        #expect(verified == 0)
    }

    @Test(arguments: [SignatureAlgorithm.rs256, .es512])
    func `a token cut off anywhere is refused (T051)`(algorithm: SignatureAlgorithm) throws {
        let signing = try SigningKey.generate(algorithm, keyID: "k")
        let key = try verificationKey(signing.publicJWK)
        let token = Array(signing.token(claimsJSON: Self.claims).utf8)
        for length in token.indices {
            #expect(outcome(of: Array(token.prefix(length)), key: key) != .verified)
        }
    }

    @Test func `the signature is checked over the bytes as received (T055)`() throws {
        let signing = try SigningKey.generate(.es256, keyID: "k")
        let key = try verificationKey(signing.publicJWK)
        let spaced = signing.compactJWS(header: #"{ "alg" : "ES256" }"#, payload: #"{ "a" : 1 }"#)
        #expect(outcome(of: spaced, key: key) == .verified)
        let parts = spaced.split(separator: ".").map(String.init)
        let moved = parts[0] + String(parts[1].prefix(4)) + "." + parts[1].dropFirst(4) + "." + parts[2]
        #expect(outcome(of: moved, key: key) != .verified)
        let other = signing.compactJWS(header: #"{ "alg" : "ES256" }"#, payload: #"{ "a" : 2 }"#).split(separator: ".")
            .map(String.init)
        #expect(outcome(of: parts[0] + "." + other[1] + "." + parts[2], key: key) == .signature(.invalid))
    }

    // MARK: - Threads and failures

    @Test(arguments: [SignatureAlgorithm.rs256, .ps256, .es256, .ed25519])
    func `concurrent tasks get the same verdicts (T109)`(algorithm: SignatureAlgorithm) async throws {
        let signing = try SigningKey.generate(algorithm, keyID: "k")
        let key = try verificationKey(signing.publicJWK)
        let good = (0..<4).map { number in signing.token(claimsJSON: #"{"number":\#(number)}"#) }
        let bad = good.map { token in token.replacing(".", with: ".AAAA", maxReplacements: 1) }
        let wrong = await withTaskGroup(of: Int.self) { group in
            for task in 0..<64 {
                group.addTask {
                    var wrong = 0
                    for round in 0..<25 {
                        if outcome(of: good[(task + round) % 4], key: key) != .verified { wrong += 1 }
                        if outcome(of: bad[(task + round) % 4], key: key) != .signature(.invalid) { wrong += 1 }
                    }
                    return wrong
                }
            }
            return await group.reduce(0, +)
        }
        #expect(wrong == 0)
    }

    @Test func `failures of the crypto library are distinguished from bad signatures (T108)`() {
        let (evp, rsa, ec, provider): (UInt, UInt, UInt, UInt) = (6 << 23, 4 << 23, 16 << 23, 57 << 23)
        let outOfMemory: UInt = 256 | 3 << 18
        let systemError: UInt = 0x8000_0000 | 12
        // Operation not initialised; a fetch without result; out of memory anywhere; an error of the operating system.
        for code in [evp | 151, evp | 156, rsa | outOfMemory, ec | outOfMemory, provider | outOfMemory, systemError]
            as [UInt]
        {
            #expect(LibraryErrors.describesLibrary(code))
        }
        // Bad signature, wrong length, bad padding, point at infinity, wrapped errors of a lower layer.
        for code in [rsa | 104, rsa | 119, rsa | 114, ec | 106, ec | 156, rsa | 4 | 2 << 18] as [UInt] {
            #expect(!LibraryErrors.describesLibrary(code))
        }
    }

    @Test func `a failed library call without an error code counts as a library failure`() {
        #expect(LibraryErrors.verdict(result: 1) == .valid)
        #expect(LibraryErrors.verdict(result: 0) == .invalid)
        #expect(LibraryErrors.verdict(result: -1) == .unavailable)
    }
}
