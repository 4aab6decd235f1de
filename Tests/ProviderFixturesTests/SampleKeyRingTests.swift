import JOSE
import JOSESigning
import ProviderFixtures
import StrictJSON
import Testing

/// One ring for all tests, so that each key is generated once.
private let ring = SampleKeyRing()

struct SampleKeyRingTests {
    // MARK: Key sets

    @Test(
        arguments: [
            (ProviderName.entraExternal, nil, [["kty", "use", "kid", "x5t", "n", "e", "issuer"]]),
            (
                .entraID, "v2",
                [
                    ["kty", "use", "kid", "x5t", "n", "e", "issuer"],
                    ["kty", "use", "kid", "x5t", "n", "e", "cloud_instance_name", "issuer"],
                    ["kty", "use", "kid", "x5t", "n", "e", "issuer"],
                ]
            ),
            (.entraID, "v1", [["kty", "use", "kid", "x5t", "n", "e"]]),
            (.azureB2C, "B2C_1_susi", [["kid", "nbf", "use", "kty", "e", "n"]]),
            (.azureB2C, "B2C_1A_signup", [["kid", "use", "kty", "e", "n"]]),
            (.logto, nil, [["kty", "use", "kid", "alg", "crv", "x", "y"], ["kty", "use", "kid", "e", "n"]]),
            (.keycloak, nil, [["kty", "alg", "use", "kid", "n", "e"], ["kid", "kty", "alg", "use", "n", "e"]]),
            (.zitadel, nil, [["kty", "alg", "use", "kid", "n", "e"], ["kty", "use", "kid", "alg", "crv", "x", "y"]]),
        ] as [(ProviderName, String?, [[String]])])
    func `sample keys have the same members as the provider's`(
        provider: ProviderName, keySet: String?, shapes: [[String]]
    )
        throws
    {
        let root = try keySetJSON(provider, keySet)
        let keys = try #require(root[member: "keys"]).elements.map { key in key.members.map(\.name) }
        #expect(Array(keys.prefix(shapes.count)) == shapes)
    }

    @Test func `Microsoft's keys have kid and x5t, and the issuer they sign for`() throws {
        let root = try keySetJSON(.entraID, "v2")
        let keys = try #require(root[member: "keys"]).elements.map { key in key }
        #expect(keys.map { key in key[member: "x5t"]?.string } == keys.map { key in key[member: "kid"]?.string })
        let consumers = "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0"
        let template = "https://login.microsoftonline.com/{tenantid}/v2.0"
        #expect(keys.map { key in key[member: "issuer"]?.string } == [template, template, consumers])
    }

    @Test func `a key set that the provider lacks is nil`() throws {
        #expect(try ring.jwkSet(of: .logto, keySet: "v2") == nil)
    }

    @Test(arguments: ProviderName.allCases)
    func `every sample key set can be read, without its keys for other uses`(provider: ProviderName) throws {
        for keySet in ProviderSamples.of(provider).keySets {
            let text = try ring.jwkSet(keySet.keys)
            let bytes = Array(text.utf8)
            let read = try KeySet(parsing: bytes.span, use: .signaturesAndJWTSVIDs)
            #expect(read.keys.map(\.keyID) == keySet.keys.filter(\.signs).map(\.name.keyID))
        }
    }

    // MARK: Tokens

    @Test(arguments: ProviderName.allCases)
    func `a provider's sample token verifies with its key sets`(provider: ProviderName) throws {
        for sample in ProviderSamples.of(provider).tokens {
            #expect(try verdicts(on: try ring.compactJWS(sample), by: provider).contains(.valid), "\(sample.id)")
        }
    }

    @Test(arguments: ProviderName.allCases)
    func `a near-miss is signed by the right key unless its mistake is the key`(provider: ProviderName) throws {
        for sample in ProviderSamples.of(provider).nearMisses {
            let token = try ring.compactJWS(sample)
            switch sample.signing {
            case .key(let name):
                let key = try ring.key(for: name)
                #expect(try signatureIsValid(token, by: key), "\(sample.id)")
            case .tampered(let name):
                let key = try ring.key(for: name)
                #expect(try !signatureIsValid(token, by: key), "\(sample.id)")
            case .unsigned: #expect(token.hasSuffix("."))
            case .hmac: #expect(token.split(separator: ".").last?.count == 43)
            }
        }
    }

    @Test func `header and payload of a token are those of its sample`() throws {
        let sample = try #require(ProviderSamples.of(.logto).sample(id: "access"))
        let parts = try ring.compactJWS(sample).split(separator: ".").map { part in Base64URL.decode(String(part)) }
        #expect(parts[0] == sample.header.serialized())
        #expect(parts[1] == sample.payload.serialized())
        #expect(parts[2]?.count == 96)
    }

    @Test func `a time shift moves all times of a token, and nothing else`() throws {
        let sample = try #require(ProviderSamples.of(.firebase).sample(id: "bearer"))
        let payload = try payload(of: try ring.compactJWS(sample, shiftedBy: 1000))
        #expect(payload[member: "iat"]?.integer == 1_790_001_000)
        #expect(payload[member: "exp"]?.integer == 1_790_004_600)
        #expect(payload[member: "auth_time"]?.integer == 1_789_991_000)
        #expect(payload[member: "nbf"] == nil)
        #expect(payload.members.map(\.name) == sample.payload.members.map(\.name))
    }

    @Test func `changes to the payload are signed`() throws {
        let sample = try #require(ProviderSamples.of(.okta).sample(id: "access"))
        let changes = try JSONDocument(parsing: Array(#"{"scp":["a"],"exp":7}"#.utf8), limits: .document).root
        let token = try ring.compactJWS(sample, shiftedBy: 5, payload: JSONObjectPatch(set: changes))
        let payload = try payload(of: token)
        #expect(payload[member: "scp"]?.elements.map(\.string) == ["a"])
        #expect(payload[member: "exp"]?.integer == 7)
        #expect(try signatureIsValid(token, by: try ring.key(for: SampleKeyName("g8Qp1mZx", .rs256))))
    }

    @Test func `a new key ID changes the header and the key`() throws {
        let sample = try #require(ProviderSamples.of(.logto).sample(id: "access"))
        let old = "iJ3hQm8vT1xLr6WbN0cYd5KpZs7UeA2gFo9XtVk4HnM"
        let token = try ring.compactJWS(sample, keyIDs: [old: "new"])
        let header = try #require(Base64URL.decode(String(token.prefix { character in character != "." })))
        #expect(try JSONDocument(parsing: header, limits: .document).root[member: "kid"]?.string == "new")
        #expect(try signatureIsValid(token, by: try ring.key(for: SampleKeyName("new", .es384))))
        #expect(try !signatureIsValid(token, by: try ring.key(for: SampleKeyName(old, .es384))))
    }

    @Test func `two samples with the same key ID and algorithm have the same key`() throws {
        let first = try ring.key(for: SampleKeyName("kc1", .rs256)).publicJWK
        let second = try ring.key(for: SampleKeyName("kc1", .rs256)).publicJWK
        #expect(first == second)
        #expect(try ring.key(for: SampleKeyName("kc1", .es256)).publicJWK != first)
    }

    @Test func `a forgotten sample key is generated again`() throws {
        let ring = SampleKeyRing()
        let name = SampleKeyName("a", .es256)
        let first = try ring.key(for: name).publicJWK
        ring.forget([SampleKeyName("b", .es256)])
        #expect(try ring.key(for: name).publicJWK == first)
        ring.forget([name])
        #expect(try ring.key(for: name).publicJWK != first)
    }

    // MARK: Reading

    private func keySetJSON(_ provider: ProviderName, _ name: String?) throws -> JSONValue {
        let text = try ring.jwkSet(of: provider, keySet: name)
        return try JSONDocument(parsing: Array(try #require(text).utf8), limits: .keySet).root
    }

    private func payload(of token: String) throws -> JSONValue {
        let parts = token.split(separator: ".")
        let bytes = try #require(Base64URL.decode(String(parts[1])))
        return try JSONDocument(parsing: bytes, limits: .claimsSet).root
    }

    private func verdicts(on token: String, by provider: ProviderName) throws -> [SignatureVerdict] {
        try ProviderSamples.of(provider).keySets.compactMap { keySet in
            let text = Array(try ring.jwkSet(keySet.keys).utf8)
            return try verdict(on: token, by: try KeySet(parsing: text.span, use: .signaturesAndJWTSVIDs))
        }
    }

    private func signatureIsValid(_ token: String, by key: SigningKey) throws -> Bool {
        let text = Array(SigningKey.jwkSetJSON([key]).utf8)
        let set = try KeySet(parsing: text.span)
        guard
            case .found(let found, let algorithm) = set.key(
                keyID: key.keyID, algorithm: try headerAlgorithm(key.algorithm))
        else {
            return false
        }
        return try verify(token, with: found, algorithm) == .valid
    }

    private func verdict(on token: String, by set: KeySet) throws -> SignatureVerdict? {
        let first = try #require(token.split(separator: ".").first)
        let text = try #require(Base64URL.decode(String(first)))
        let header = try ProtectedHeader(parsing: text.span)
        let named = try #require(header.algorithm)
        guard case .found(let key, let algorithm) = set.key(keyID: header.keyID ?? "", algorithm: named) else {
            return nil
        }
        return try verify(token, with: key, algorithm)
    }

    private func headerAlgorithm(_ algorithm: SignatureAlgorithm) throws -> HeaderAlgorithm {
        let text = Array(#"{"alg":"\#(algorithm.rawValue)"}"#.utf8)
        let header = try ProtectedHeader(parsing: text.span)
        return try #require(header.algorithm)
    }

    private func verify(_ token: String, with key: VerificationKey, _ algorithm: SignatureAlgorithm) throws
        -> SignatureVerdict
    {
        let bytes = Array(token.utf8)
        let parts = try CompactJWS(bytes.span)
        let signature = try #require(Base64URL.decode(String(decoding: bytes[parts.signature], as: UTF8.self)))
        return key.verify(
            signature: signature.span, signingInput: bytes.span.extracting(parts.signingInput), algorithm: algorithm)
    }
}
