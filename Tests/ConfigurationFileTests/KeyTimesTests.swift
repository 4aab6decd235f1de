import ConfigurationFile
import JOSE
import KeySets
import Testing
import TokenVerification

/// Effect of `refresh` and `stale_for` on an issuer's key sets, and several addresses of one set.
struct KeyTimesTests {
    private func keySets(_ lines: String, issuer: String = "issuer: https://a.example, token_type: at+jwt") throws
        -> [KeySetConfiguration]
    {
        let text = """
            issuers: {a: {\(issuer), \(lines)}}
            resources: {b: {at: /b, issuers: [a], upstream: http://127.0.0.1:9000, rules: {GET /: authenticated}}}
            """
        return Array(try #require(try ProfiledIssuerTests.load(text).issuers.first).keySets)
    }

    private func times(_ lines: String, issuer: String = "issuer: https://a.example, token_type: at+jwt") throws
        -> [Int64]
    {
        let keySet = try #require(try keySets(lines, issuer: issuer).first)
        return [keySet.refreshInterval, keySet.freshnessLimit, keySet.staleLimit].map(\.components.seconds)
    }

    @Test(arguments: [
        ("leeway: 1s", [300, 21_600, 86_400]),
        ("refresh: {min: 10m, max: 1h}", [600, 3_600, 86_400]),
        // Settings in the file override defaults.
        ("refresh: {min: 8h}", [28_800, 28_800, 86_400]),
        ("refresh: {max: 1m}", [60, 60, 86_400]),
        ("stale_for: 1h", [300, 3_600, 3_600]),
        ("stale_for: 2m", [120, 120, 120]),
        ("stale_for: 7d", [300, 21_600, 604_800]),
        ("refresh: {max: 2d}, stale_for: 2d", [300, 172_800, 172_800]),
    ])
    func `keys are fresh between the shortest and longest refresh time, and never longer than usable`(
        lines: String, seconds: [Int64]
    ) throws {
        #expect(try times(lines) == seconds)
    }

    @Test func `settings of the file limit a profile's refresh times`() throws {
        let entra = "profile: entra-id, tenant: 5f3c1b7e-2a64-4d0b-9c58-7e1a90b6d412"
        #expect(try times("leeway: 1s", issuer: entra) == [3_600, 3_600, 86_400])
        #expect(try times("refresh: {max: 10m}", issuer: entra) == [600, 600, 86_400])
        #expect(try times("stale_for: 30m", issuer: entra) == [1_800, 1_800, 1_800])
    }

    @Test func `each of several jwks_uri addresses is a key set of its own, with the same settings`() throws {
        let text = """
            issuers: {a: {issuer: https://a.example, token_type: at+jwt, refresh: {min: 10m}, jwks_uri: [https://a.example/1, https://b.example/2]}}
            resources: {b: {at: /b, issuers: [a], upstream: http://127.0.0.1:9000, rules: {GET /: authenticated}}}
            """
        let configuration = try ProfiledIssuerTests.load(text)
        let issuer = try #require(configuration.issuers.first)
        #expect(issuer.keySets.map(\.source) == [.jwkSetURL("https://a.example/1"), .jwkSetURL("https://b.example/2")])
        #expect(issuer.keySets.allSatisfy { $0.refreshInterval == .seconds(600) && $0.issuer == "https://a.example" })
        #expect(issuer.trusted.mergesKeySets)
        #expect(
            issuer.place.keysFound(keySet: 1, usable: 2, skipped: 0).message
                == "key set `https://b.example/2`: 2 usable keys")
    }

    @Test func `a list with one jwks_uri address is one key set`() throws {
        let text = """
            issuers: {a: {issuer: https://a.example, token_type: at+jwt, jwks_uri: [https://a.example/1]}}
            resources: {b: {at: /b, issuers: [a], upstream: http://127.0.0.1:9000, rules: {GET /: authenticated}}}
            """
        let issuer = try #require(try ProfiledIssuerTests.load(text).issuers.first)
        #expect(issuer.keySets.map(\.source) == [.jwkSetURL("https://a.example/1")])
        #expect(!issuer.trusted.mergesKeySets)
    }

    @Test func `each key in PEM is a key set of its own, in a file that is not kept after it changes`() throws {
        let text = """
            issuers: {a: {issuer: urn:a, token_type: at+jwt, algorithms: [ES256], keys: [{kid: "1", pem_file: /a.pem}, {kid: 02, pem_file: b.pem}]}}
            resources: {b: {at: /b, issuers: [a], upstream: http://127.0.0.1:9000, rules: {GET /: authenticated}}}
            """
        let issuer = try #require(try ProfiledIssuerTests.load(text).issuers.first)
        let sources = issuer.keySets.map(\.source)
        #expect(sources.map(\.soleKeyID) == ["1", "02"])
        #expect(sources.first?.filePath == "/a.pem" && sources.last?.filePath?.hasSuffix("/b.pem") == true)
        #expect(issuer.keySets.allSatisfy { $0.retention == .zero && $0.issuer == "urn:a" })
        #expect(issuer.trusted.mergesKeySets && issuer.trusted.algorithms == [.es256])
    }
}
