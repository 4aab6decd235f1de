import KeySets
import NetworkNames
import Testing

@Suite struct KeySetConfigurationTests {
    private let url = KeySetSource.jwkSetURL("https://id.example/keys")

    @Test func `the default limits are those of the design`() {
        let configuration = KeySetConfiguration(source: url, issuer: "https://id.example")
        #expect(configuration.refreshInterval == .seconds(300))
        #expect(configuration.freshnessLimit == .seconds(21_600))
        #expect(configuration.unknownKeyIDInterval == .seconds(15))
        #expect(configuration.unknownKeyIDBurst == 5)
        #expect(configuration.staleLimit == .seconds(86_400))
        #expect(configuration.retention == .zero)
        #expect(configuration.fetchDeadline == .seconds(5))
        #expect(configuration.documentLimit == 262_144)
        #expect(configuration.keyLimit == 200)
        #expect(configuration.waitingLimit == 1024)
        #expect(!configuration.allowsPlainHTTP)
    }

    @Test func `issuers share a key set with the same URL, unless trust anchor or plain http differ`() {
        let first = KeySetConfiguration(source: url, issuer: "https://a.example")
        #expect(first.identity == KeySetConfiguration(source: url, issuer: "https://b.example").identity)
        #expect(
            first.identity != KeySetConfiguration(source: url, issuer: "https://a.example", caFile: "ca.pem").identity)
        #expect(
            first.identity
                != KeySetConfiguration(source: url, issuer: "https://a.example", allowsPlainHTTP: true).identity)
        #expect(
            first.identity
                != KeySetConfiguration(source: .file(path: "https://id.example/keys"), issuer: "https://a.example")
                .identity)
    }

    @Test func `discovery for different issuers is not shared`() {
        let place = KeySetSource.discovery(issuer: "https://id.example")
        let first = KeySetConfiguration(source: place, issuer: "https://id.example")
        #expect(first.identity != KeySetConfiguration(source: place, issuer: "https://other.example").identity)
    }

    @Test func `a metadata address is shared only if the same issuer is expected`() {
        let place = KeySetSource.metadata(url: "https://login.example/common/.well-known/openid-configuration")
        let first = KeySetConfiguration(source: place, issuer: "https://login.example/{tenantid}/v2.0")
        #expect(
            first.identity
                == KeySetConfiguration(source: place, issuer: "https://login.example/{tenantid}/v2.0").identity)
        #expect(
            first.identity
                != KeySetConfiguration(source: place, issuer: "https://login.example/{tenantId}/v2.0").identity)
        #expect(place.description == "https://login.example/common/.well-known/openid-configuration")
    }

    @Test func `key sets with different credentials are not shared`() {
        let open = KeySetConfiguration(source: url, issuer: "https://a.example")
        var one = open
        one.credentials = KeySetCredentials(authorizationFile: "a.token")
        var other = open
        other.credentials = KeySetCredentials(certificate: .init(certificate: "a.pem", key: "a.key"))
        #expect(Set([open, one, other].map(\.identity)).count == 3)
        #expect(Set([open, one, other].map(\.identity.fileName)).count == 3)
    }

    @Test(
        arguments: [
            (.jwkSetURL("https://id.example/keys"), "https://id.example/keys", true),
            (.jwkSetURL("https://id.example/keys"), "https://id.example/other", false),
            (.jwkSetURL("https://id.example/keys"), "http://id.example/keys", false),
            (.discovery(issuer: "https://id.example/a"), "https://id.example/.well-known/openid-configuration", true),
            (.discovery(issuer: "https://id.example/a"), "https://id.example:443/keys", true),
            (.discovery(issuer: "https://id.example/a"), "https://id.example:8443/keys", false),
            (.discovery(issuer: "https://id.example/a"), "https://keys.id.example/keys", false),
            (.discovery(issuer: "https://id.example/a"), "http://id.example/keys", false),
            (.metadata(url: "https://login.example/metadata"), "https://login.example/metadata", false),
            (.metadata(url: "https://login.example/metadata"), "https://id.example/keys", true),
            (.file(path: "keys.json"), "https://id.example/keys", false),
        ] as [(KeySetSource, String, Bool)])
    func `credentials are sent to the configured URL, or to the issuer's own origin`(
        source: KeySetSource, url: String, isShown: Bool
    ) throws {
        let configuration = KeySetConfiguration(source: source, issuer: "https://id.example/a")
        #expect(configuration.mayShowCredentials(at: try #require(HTTPURL(url))) == isShown)
    }

    @Test func `the stricter of two settings applies to a shared key set`() {
        var first = KeySetConfiguration(source: url, issuer: "https://a.example")
        first.unknownKeyIDInterval = .seconds(300)
        first.keyLimit = 1000
        var second = KeySetConfiguration(source: url, issuer: "https://b.example")
        second.staleLimit = .seconds(3600)
        second.retention = .seconds(60)
        let merged = first.merged(with: second)
        #expect(merged.unknownKeyIDInterval == .seconds(300))
        #expect(merged.staleLimit == .seconds(3600))
        #expect(merged.retention == .seconds(60))
        #expect(merged.keyLimit == 1000)
    }
}
