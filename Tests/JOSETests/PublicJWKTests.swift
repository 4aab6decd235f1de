import JOSE
import JOSESigning
import StrictJSON
import Testing

@Suite struct PublicJWKTests {
    @Test(arguments: SignatureAlgorithm.allCases)
    func `the JWK of a key is read back as an equal key`(algorithm: SignatureAlgorithm) throws {
        let key = try verificationKey(try SigningKey.generate(algorithm, keyID: "k \"1\" /+= \u{E9}").publicJWK)
        let copy = try verificationKey(key.jwk)
        #expect(copy.keyID == key.keyID)
        #expect(copy.thumbprint == key.thumbprint)
        #expect(copy.algorithms == key.algorithms)
        #expect(copy.issuer == nil)
        #expect(copy.jwk == key.jwk)
    }

    @Test func `an RSA key without alg is written without alg, and keeps its issuer`() throws {
        let generated = try jsonValue(try SigningKey.generate(.rs256, keyID: "k").publicJWK)
        let n = try #require(generated["n"]?.string)
        let e = try #require(generated["e"]?.string)
        let jwk =
            #"{"kty":"RSA","n":"\#(n)","e":"\#(e)","issuer":"https://login.example/{tenantid}/v2.0","x5c":["AAAA"],"nbf":1}"#
        let key = try verificationKey(jwk)
        #expect(
            key.jwk
                == #"{"kty":"RSA","use":"sig","n":"\#(n)","e":"\#(e)","issuer":"https://login.example/{tenantid}/v2.0"}"#
        )
        #expect(try verificationKey(key.jwk).algorithms == key.algorithms)
        #expect(key.algorithms.algorithms.count == 6)
    }

    @Test(arguments: ["EdDSA", "Ed25519"])
    func `an Edwards key is written with the algorithm name of its curve`(name: String) throws {
        let x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
        let key = try verificationKey(#"{"kty":"OKP","crv":"Ed25519","alg":"\#(name)","x":"\#(x)"}"#)
        #expect(key.jwk == #"{"kty":"OKP","use":"sig","alg":"Ed25519","crv":"Ed25519","x":"\#(x)"}"#)
    }

    @Test(arguments: SignatureAlgorithm.allCases)
    func `only public members are written into a JWK`(algorithm: SignatureAlgorithm) throws {
        let key = try verificationKey(try SigningKey.generate(algorithm, keyID: "k").publicJWK)
        let names = try jsonValue(key.jwk).members.map(\.name)
        #expect(Set(names).isSubset(of: ["kty", "kid", "use", "alg", "crv", "x", "y", "n", "e", "issuer"]))
    }

    @Test func `keys from elsewhere are added to a set, and its skipped keys stay listed`() throws {
        let other = try verificationKey(try SigningKey.generate(.es256, keyID: "other").publicJWK)
        let own = try SigningKey.generate(.es256, keyID: "own").publicJWK
        let document = Array(#"{"keys":[\#(own),{"kty":"oct","kid":"secret","k":"AA"}]}"#.utf8)
        let set = try KeySet(parsing: document.span)
        let joined = set.adding([other])
        #expect(joined.keys.compactMap(\.keyID) == ["own", "other"])
        #expect(joined.skipped == [SkippedKey(keyID: "secret", index: 1, reason: .symmetricKey)])
        #expect(joined.key(keyID: "other", algorithm: .exact(.es256)).isFound)
    }
}

extension KeyLookup {
    fileprivate var isFound: Bool {
        if case .found = self { true } else { false }
    }
}
