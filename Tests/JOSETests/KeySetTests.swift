import JOSE
import JOSESigning
import StrictJSON
import Testing

struct KeySetTests {
    private static func rejection(of document: String, limits: KeySetLimits = KeySetLimits()) -> KeySetRejection? {
        do throws(KeySetRejection) {
            _ = try KeySet(parsing: document.utf8.span, limits: limits)
            return nil
        } catch {
            return error
        }
    }

    private static func found(_ lookup: KeyLookup) -> (thumbprint: [UInt8], algorithm: SignatureAlgorithm)? {
        if case .found(let key, let algorithm) = lookup { (key.thumbprint, algorithm) } else { nil }
    }

    private static func isUnknown(_ lookup: KeyLookup) -> Bool {
        if case .unknownKeyID = lookup { true } else { false }
    }

    private static func isNotForAlgorithm(_ lookup: KeyLookup) -> Bool {
        if case .notForAlgorithm = lookup { true } else { false }
    }

    @Test(
        arguments: [
            ("", .notJSON(.empty)), ("null", .notJSON(.notObjectOrArray)), ("[]", .notObject),
            ("{\n  \"a\": ?\n}", .notJSON(.malformed(line: 2, column: 8))), ("<html></html>", .otherDocument(.markup)),
            ("\u{FEFF}{\"keys\":[]}", .notJSON(.byteOrderMark)),
            (#"{"keys":[],"keys":[]}"#, .notJSON(.duplicateMember)),
            (#"{"keys":[{"kty":"RSA","kty":"EC"}]}"#, .notJSON(.duplicateMember)),
            (#"{"keys":[]} x"#, .notJSON(.trailingBytes)),
            (#"{"keys":"# + String(repeating: "[", count: 100_000), .notJSON(.tooDeep)),
            ("{}", .noKeysMember), (#"{"keys":{}}"#, .noKeysMember), (#"{"keys":123}"#, .noKeysMember),
            (#"{"keys":null}"#, .noKeysMember),
            (#"{"1a2b":"-----BEGIN CERTIFICATE-----\nMIIC"}"#, .otherDocument(.certificatesByKeyID)),
            (#"{"keys":[]}"#, .noUsableKey([])),
            (
                #"{"keys":[{"kty":"oct","k":"AAAA"}]}"#,
                .noUsableKey([SkippedKey(keyID: nil, index: 0, reason: .symmetricKey)])
            ),
            (
                #"{"keys":[null,1,"x"]}"#,
                .noUsableKey([
                    SkippedKey(keyID: nil, index: 0, reason: .notObject),
                    SkippedKey(keyID: nil, index: 1, reason: .notObject),
                    SkippedKey(keyID: nil, index: 2, reason: .notObject),
                ])
            ),
        ] as [(String, KeySetRejection)])
    func `a document that is no key set is refused (T354, T355)`(document: String, expected: KeySetRejection) {
        #expect(Self.rejection(of: document) == expected)
    }

    @Test func `a set of two hundred keys is read, and one more key is refused`() throws {
        let good = try SigningKey.generate(.es256, keyID: "good").publicJWK
        let document = { (count: Int) in
            #"{"keys":["#
                + ([good] + (1..<count).map { number in #"{"kty":"AKP","kid":"\#(number)"}"# }).joined(separator: ",")
                + "]}"
        }
        #expect(Self.rejection(of: document(200)) == nil)
        #expect(Self.rejection(of: document(201)) == .tooManyKeys)
        #expect(Self.rejection(of: document(65), limits: KeySetLimits(keys: 64)) == .tooManyKeys)
    }

    @Test func `a key set of 256 KiB is read, and one byte more is refused`() throws {
        let document = SigningKey.jwkSetJSON([try SigningKey.generate(.es256, keyID: "good")])
        let fill = 256 * 1024 - document.utf8.count
        #expect(Self.rejection(of: document + String(repeating: " ", count: fill)) == nil)
        #expect(Self.rejection(of: document + String(repeating: " ", count: fill + 1)) == .tooLarge)
    }

    @Test func `an invalid key never invalidates the other keys of the set (T342)`() throws {
        let good = try SigningKey.generate(.es256, keyID: "good").publicJWK
        let set = try keySet([
            #"{"kty":"oct","k":"AAAA","kid":"secret"}"#, good, #"{"kty":"RSA","n":"AQAB","e":"AQAB","kid":"short"}"#,
            #"{"kty":"EC","use":"enc","kid":"enc"}"#, "17", try editedJWK(good, ["kid": 7]),
            try editedJWK(good, ["kid": "leak", "d": "AAAA"]),
        ])
        #expect(set.keys.map(\.keyID) == ["good"])
        #expect(
            set.skipped == [
                SkippedKey(keyID: "secret", index: 0, reason: .symmetricKey),
                SkippedKey(keyID: "short", index: 2, reason: .modulusTooShort),
                SkippedKey(keyID: "enc", index: 3, reason: .notForSignatures),
                SkippedKey(keyID: nil, index: 4, reason: .notObject),
                SkippedKey(keyID: nil, index: 5, reason: .keyIDInvalid),
                SkippedKey(keyID: "leak", index: 6, reason: .privateKey),
            ]
        )
    }

    @Test func `a key is found by its ID if it suits the algorithm`() throws {
        let (es256, ed25519) = (
            try SigningKey.generate(.es256, keyID: "e1"), try SigningKey.generate(.ed25519, keyID: "d1")
        )
        let set = try keySet([es256.publicJWK, ed25519.publicJWK])
        #expect(Self.found(set.key(keyID: "e1", algorithm: .exact(.es256)))?.algorithm == .es256)
        #expect(Self.found(set.key(keyID: "d1", algorithm: .edDSA))?.algorithm == .ed25519)
        #expect(Self.found(set.key(keyID: "d1", algorithm: .exact(.ed25519)))?.algorithm == .ed25519)
        #expect(Self.isNotForAlgorithm(set.key(keyID: "e1", algorithm: .exact(.rs256))))
        #expect(Self.isNotForAlgorithm(set.key(keyID: "e1", algorithm: .edDSA)))
        #expect(Self.isNotForAlgorithm(set.key(keyID: "d1", algorithm: .exact(.ed448))))
        #expect(Self.isUnknown(set.key(keyID: "E1", algorithm: .exact(.es256))))
        #expect(Self.isUnknown(set.key(keyID: "", algorithm: .exact(.es256))))
    }

    @Test func `key IDs that look alike but differ in bytes are different`() throws {
        let jwk = try SigningKey.generate(.es256, keyID: "caf\u{E9}").publicJWK
        let set = try keySet([jwk])
        #expect(Self.found(set.key(keyID: "caf\u{E9}", algorithm: .exact(.es256))) != nil)
        #expect(Self.isUnknown(set.key(keyID: "cafe\u{301}", algorithm: .exact(.es256))))
        let other = try SigningKey.generate(.es256, keyID: "cafe\u{301}").publicJWK
        #expect(try keySet([jwk, other]).keys.count == 2)
    }

    @Test func `a key that is in the set twice counts once (T351)`() throws {
        let jwk = try SigningKey.generate(.es256, keyID: "k").publicJWK
        let set = try keySet([jwk, jwk, try editedJWK(jwk, ["x5t": "other"])])
        #expect(set.keys.count == 1)
        #expect(set.skipped.isEmpty)
    }

    @Test func `the same key material under one ID for two algorithms is used for both`() throws {
        let jwk = try SigningKey.generate(.rs256, keyID: "k").publicJWK
        let set = try keySet([jwk, try editedJWK(jwk, ["alg": "PS256"])])
        #expect(Self.found(set.key(keyID: "k", algorithm: .exact(.rs256)))?.algorithm == .rs256)
        #expect(Self.found(set.key(keyID: "k", algorithm: .exact(.ps256)))?.algorithm == .ps256)
        #expect(Self.isNotForAlgorithm(set.key(keyID: "k", algorithm: .exact(.rs512))))
    }

    @Test func `two different keys with one ID and type are both unusable, and the others stay (T351)`() throws {
        let keys = try ["k", "k", "other"].map { keyID in try SigningKey.generate(.es256, keyID: keyID).publicJWK }
        let set = try keySet(keys)
        #expect(set.keys.map(\.keyID) == ["other"])
        #expect(
            set.skipped == [
                SkippedKey(keyID: "k", algorithm: .es256, index: 0, reason: .duplicateKeyID),
                SkippedKey(keyID: "k", algorithm: .es256, index: 1, reason: .duplicateKeyID),
            ]
        )
        #expect(Self.isUnknown(set.key(keyID: "k", algorithm: .exact(.es256))))
        #expect(throws: KeySetRejection.noUsableKey(set.skipped)) { try keySet(Array(keys.prefix(2))) }
    }

    @Test func `EC keys on different curves count as the same key type`() throws {
        let set = try keySet([
            try SigningKey.generate(.es256, keyID: "k").publicJWK,
            try SigningKey.generate(.es384, keyID: "k").publicJWK,
            try SigningKey.generate(.es512, keyID: "other").publicJWK,
        ])
        #expect(set.skipped.map(\.reason) == [.duplicateKeyID, .duplicateKeyID])
    }

    @Test func `keys with one ID and different types are all usable (T351)`() throws {
        let set = try keySet([
            try SigningKey.generate(.es256, keyID: "k").publicJWK,
            try SigningKey.generate(.ed25519, keyID: "k").publicJWK,
            try SigningKey.generate(.rs256, keyID: "k").publicJWK,
        ])
        #expect(set.keys.count == 3)
        for (index, algorithm) in [SignatureAlgorithm.es256, .ed25519, .rs256].enumerated() {
            #expect(
                Self.found(set.key(keyID: "k", algorithm: .exact(algorithm)))?.thumbprint == set.keys[index].thumbprint)
        }
        #expect(Self.isNotForAlgorithm(set.key(keyID: "k", algorithm: .exact(.es384))))
    }

    @Test func `a key set knows whether any of its keys has an ID (T352)`() throws {
        let (one, two) = (
            try SigningKey.generate(.es256, keyID: "a").publicJWK, try SigningKey.generate(.es256, keyID: "b").publicJWK
        )
        let (bare, other) = (try editedJWK(one, ["kid": nil]), try editedJWK(two, ["kid": nil]))
        #expect(try !keySet([bare, other]).hasKeyIDs)
        #expect(try keySet([bare, two]).hasKeyIDs && keySet([one]).hasKeyIDs)
    }

    @Test func `keys of several sets are merged by the same rules`() throws {
        let jwks = try ["a", "b", "b"].map { keyID in try SigningKey.generate(.es256, keyID: keyID).publicJWK }
        let merged = KeySet(keys: try keySet([jwks[0], jwks[1]]).keys + keySet([jwks[0], jwks[2]]).keys)
        #expect(merged.keys.map(\.keyID) == ["a"])
        #expect(merged.skipped.map(\.reason) == [.duplicateKeyID, .duplicateKeyID])
        #expect(KeySet(keys: []).keys.isEmpty)
    }
}
