import AccessControl
import HTTPMessages
import JOSE
import KeySets
import RequestAuthorization
import TestSupport
import Testing
import TokenVerification

@Suite struct ResourceMetadataTests {
    typealias Fixture = AuthorizerFixture

    static let url = "https://api.example/.well-known/oauth-protected-resource/shop"
    static let line = "GET /.well-known/oauth-protected-resource/shop HTTP/1.1"

    private func document(_ line: String, host: String = "api.example", in fixture: Fixture) throws -> String? {
        guard case .publish(let document, _) = fixture.outcome(try Fixture.request(line, host: host)) else {
            return nil
        }
        return String(decoding: document.bytes, as: UTF8.self)
    }

    @Test func `a resource publishes metadata below its identifier (RFC 9728 §3)`() throws {
        let document = try document(Self.line, in: try Fixture())
        let expected = [
            #"{"resource":"https://api.example/shop","authorization_servers":["https://iss.example"],"#,
            #""scopes_supported":["read","write","audit","eu","us"],"bearer_methods_supported":["header"]}"#,
        ]
        #expect(document == expected.joined())
    }

    @Test func `an issuer whose name is no URL is not listed as authorization server`() throws {
        for (name, servers) in [
            ("https://iss.example", ["https://iss.example"]), ("http://127.0.0.1:9400/", ["http://127.0.0.1:9400/"]),
            ("kubernetes/serviceaccount", []), ("urn:example:sts", []), ("robot@shop.example", []), ("my-app", []),
        ] as [(String, [String])] {
            let issuer = TrustedIssuer(name: "main", identifier: name, algorithms: [.rs256], tokenType: .accessTokenJWT)
            #expect(issuer.authorizationServers == servers)
        }
        let document = try document(Self.line, in: try Fixture(issuer: { $0.authorizationServers = [] }))
        #expect(document?.hasPrefix(#"{"resource":"https://api.example/shop","scopes_supported":["#) == true)
    }

    @Test(arguments: [
        ("HEAD /.well-known/oauth-protected-resource/shop HTTP/1.1", "api.example", true),
        // The place `/shop` is at any host, so its metadata is there too.
        (Self.line, "elsewhere.example", true),
        ("GET /.well-known/oauth-protected-resource/shop/ HTTP/1.1", "api.example", true),
        ("POST /.well-known/oauth-protected-resource/shop HTTP/1.1", "api.example", false),
        ("OPTIONS /.well-known/oauth-protected-resource/shop HTTP/1.1", "api.example", false),
        ("GET /.well-known/oauth-protected-resource/shop/orders HTTP/1.1", "api.example", false),
        ("GET /.well-known/oauth-protected-resource/other HTTP/1.1", "api.example", false),
        ("GET /.well-known/oauth-protected-resourceX/shop HTTP/1.1", "api.example", false),
        ("GET /.well-known/oauth-protected-resource;x/shop HTTP/1.1", "api.example", false),
        ("GET /.well-known/oauth-protected-resource/shop;x=1 HTTP/1.1", "api.example", false),
    ])
    func `resource metadata is served at exactly its path`(_ line: String, _ host: String, _ isThere: Bool) throws {
        #expect((try document(line, host: host, in: try Fixture()) != nil) == isThere)
    }

    // MARK: At the root of a host

    private static let root = "GET /.well-known/oauth-protected-resource HTTP/1.1"

    @Test(arguments: [
        (root, "api.example", true), ("GET /.well-known/oauth-protected-resource/ HTTP/1.1", "api.example", true),
        ("HEAD /.well-known/oauth-protected-resource HTTP/1.1", "api.example", true), (root, "elsewhere.example", true),
        ("POST /.well-known/oauth-protected-resource HTTP/1.1", "api.example", false),
        ("GET /.well-known/oauth-protected-resource;x HTTP/1.1", "api.example", false),
        ("GET /.well-known HTTP/1.1", "api.example", false),
    ])
    func `the only resource at a host is described at the host's root too`(
        _ line: String, _ host: String, _ isThere: Bool
    ) throws {
        #expect(
            (try document(line, host: host, in: try Fixture())?.contains(#""resource":"https://api.example/shop""#)
                == true) == isThere)
    }

    /// Identifier of the resource described at the root of a host, of these resources with their places.
    private static func resource(atRootOf host: String, of places: [(String, String)]) throws -> String? {
        let fixture = try Fixture()
        let shop = try #require(fixture.authorizer.resources[0])
        let resources = try places.map { identifier, place in
            var resource = renamed(shop, identifier)
            resource.places = [try PlacePattern(at: place)]
            return resource
        }
        let authorizer = try RequestAuthorizer(resources: IndexedBy(resources), issuers: fixture.authorizer.issuers)
        var request = try Fixture.request(root, host: host)
        guard case .publish(let document, _) = authorizer.authorize(&request, at: NumericDate(seconds: TestToken.now))
        else { return nil }
        return String(decoding: document.bytes, as: UTF8.self).firstMatch(of: /"resource":"([^"]*)"/).map {
            String($0.output.1)
        }
    }

    @Test func `the root describes no resource if several are possible`() throws {
        let (a, b) = (("https://h.example/a", "h.example/a"), ("https://h.example/b", "h.example/b"))
        #expect(try Self.resource(atRootOf: "h.example", of: [a]) == "https://h.example/a")
        #expect(try Self.resource(atRootOf: "h.example", of: [a, b]) == nil)
        // A resource without metadata cannot be meant.
        #expect(try Self.resource(atRootOf: "h.example", of: [a, ("b", "h.example/b")]) == "https://h.example/a")
        // A resource at another host cannot be meant, but one at any host can.
        let other = ("https://other.example/b", "other.example/b")
        #expect(try Self.resource(atRootOf: "h.example", of: [a, other]) == "https://h.example/a")
        #expect(try Self.resource(atRootOf: "other.example", of: [a, other]) == "https://other.example/b")
        #expect(try Self.resource(atRootOf: "else.example", of: [a, other]) == nil)
        #expect(try Self.resource(atRootOf: "h.example", of: [a, ("https://other.example/b", "/b")]) == nil)
    }

    @Test func `T532 a resource at the root itself answers there`() throws {
        let below = ("https://h.example/a", "h.example/a")
        #expect(
            try Self.resource(atRootOf: "h.example", of: [below, ("https://h.example", "h.example")])
                == "https://h.example")
        // A resource at the root may serve its own document there, as its rules decide.
        for place in ["h.example", "/", "h.example/.well-known", "h.example/.well-known/oauth-protected-resource"] {
            #expect(try Self.resource(atRootOf: "h.example", of: [below, ("name", place)]) == nil)
        }
    }

    // MARK: Preflights

    @Test(arguments: ["/shop", "/shop/", ""], ["https://app.example", "null"])
    func `resource metadata is readable from every origin, whatever headers the client adds`(
        place: String, origin: String
    ) throws {
        let fields = [
            "Origin: \(origin)", "Access-Control-Request-Method: GET",
            "Access-Control-Request-Headers: mcp-protocol-version",
        ]
        let line = "OPTIONS /.well-known/oauth-protected-resource\(place) HTTP/1.1"
        for crossOrigin in [nil, CrossOriginPolicy(origins: .listed([try OriginPattern("https://else.example")]))] {
            let fixture = try Fixture { $0.crossOrigin = crossOrigin }
            guard case .preflight(let answer, let facts) = fixture.outcome(try Fixture.request(line, fields: fields))
            else {
                Issue.record("no preflight")
                return
            }
            #expect(answer.verdict == .granted)
            #expect(facts.hint == nil)
            #expect(
                answer.lines == [
                    "access-control-allow-origin: *", "access-control-allow-methods: GET",
                    "access-control-allow-headers: authorization, content-type, *", "access-control-max-age: 600",
                    "vary: Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
                ])
        }
    }

    @Test(arguments: [
        ("/other", ["Origin: https://a.example", "Access-Control-Request-Method: GET"]),
        ("/shop", ["Origin: https://a.example"]),
        ("/shop", ["Access-Control-Request-Method: GET"]),
    ])
    func `an OPTIONS request that is no preflight for the metadata is judged like any request`(
        _ place: String, _ fields: [String]
    ) throws {
        let line = "OPTIONS /.well-known/oauth-protected-resource\(place) HTTP/1.1"
        #expect(try Fixture().rejection(try Fixture.request(line, fields: fields))?.reason == .routing(.noResource))
    }

    @Test func `explain recognises a preflight for the metadata`() throws {
        let fields = ["Origin: https://app.example", "Access-Control-Request-Method: GET"]
        var request = try Fixture.request("OPTIONS /.well-known/oauth-protected-resource/shop HTTP/1.1", fields: fields)
        let explanation = try Fixture().authorizer.explain(&request, at: NumericDate(seconds: TestToken.now))
        #expect(explanation.status == 204 && !explanation.isRefusal)
        #expect(explanation.steps.map(\.name) == ["metadata"])
        #expect(explanation.preflight?.lines.first == "access-control-allow-origin: *")
    }

    // MARK: Other resources

    @Test(arguments: [("api.example", true), ("elsewhere.example", true), ("quiet.example", false)])
    func `resource metadata is not served at the place of a resource without metadata`(_ host: String, _ isThere: Bool)
        throws
    {
        let store = KeySetStore(KeySetSnapshot(staleLimit: .seconds(60)))
        let issuer = IssuerKeyStores(
            issuer: try #require(Fixture().authorizer.issuers[0]).verifier.issuer, stores: [store])
        let shop = try #require(Fixture().authorizer.resources[0])
        var quiet = Self.renamed(shop, "https://quiet.example/shop")
        quiet.places = [try PlacePattern(at: "quiet.example/shop")]
        quiet.publishesMetadata = false
        let authorizer = try RequestAuthorizer(resources: [shop, quiet], issuers: [issuer])
        var request = try Fixture.request(Self.line, host: host)
        let outcome = authorizer.authorize(&request, at: NumericDate(seconds: TestToken.now))
        let isPublished = if case .publish = outcome { true } else { false }
        #expect(isPublished == isThere)
    }

    @Test func `a resource with metadata: none has no metadata`() throws {
        let fixture = try Fixture { $0.publishesMetadata = false }
        #expect(try document(Self.line, in: fixture) == nil)
        let rejection = fixture.rejection(try Fixture.request())
        #expect(rejection?.challenge?.resourceMetadata == nil)
    }

    @Test func `401 and 403 name the metadata URL, and 400 does not`() throws {
        let fixture = try Fixture()
        #expect(fixture.rejection(try Fixture.request())?.challenge?.resourceMetadata == Self.url)
        let weak = Fixture.bearer(TestToken.good.with("scope", #""none""#))
        #expect(fixture.rejection(try Fixture.request(fields: [weak]))?.challenge?.resourceMetadata == Self.url)
        let malformed = fixture.rejection(try Fixture.request(fields: ["Authorization: Bearer a b"]))
        #expect(malformed?.reason == .credentials(.malformed))
        #expect(malformed?.challenge?.resourceMetadata == nil)
    }

    @Test(arguments: [
        ("https://h.example/", "https://h.example/.well-known/oauth-protected-resource"),
        ("https://h.example", "https://h.example/.well-known/oauth-protected-resource"),
        ("https://h.example:8443/a/b", "https://h.example:8443/.well-known/oauth-protected-resource/a/b"),
    ])
    func `the metadata URL is derived from the identifier`(_ identifier: String, _ expected: String) throws {
        let fixture = try Fixture { resource in
            resource = Self.renamed(resource, identifier)
        }
        #expect(fixture.rejection(try Fixture.request())?.challenge?.resourceMetadata == expected)
    }

    @Test func `a resource whose identifier is a name has no metadata`() throws {
        let fixture = try Fixture { $0 = Self.renamed($0, "shop") }
        #expect(fixture.rejection(try Fixture.request())?.challenge?.resourceMetadata == nil)
    }

    @Test func `explain recognises a request for the metadata`() throws {
        var request = try Fixture.request(Self.line)
        let explanation = try Fixture().authorizer.explain(&request, at: NumericDate(seconds: TestToken.now))
        #expect(explanation.status == 200)
        #expect(explanation.published != nil)
        #expect(explanation.steps.map(\.name) == ["metadata"])
    }

    private static func renamed(_ resource: ProtectedResource, _ identifier: String) -> ProtectedResource {
        ProtectedResource(
            identifier: identifier, places: resource.places, issuers: resource.issuers, routes: resource.routes,
            policies: resource.policies, upstreamRoutes: resource.upstreamRoutes, upstreams: resource.upstreams,
        )
    }
}
