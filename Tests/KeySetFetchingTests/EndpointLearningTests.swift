import KeySetFetching
import KeySets
import NIOHTTP1
import NetworkNames
import TestSupport
import Testing
import TokenIntrospection

/// Introspection endpoint, learnt from the issuer's metadata.
@Suite struct EndpointLearningTests {
    private static let path = "/.well-known/openid-configuration"

    private static func metadata(_ server: KeyServer, endpoint: String?) -> KeyServer.Reply {
        let named = endpoint.map { #","introspection_endpoint":"\#($0)""# } ?? ""
        return .json(#"{"issuer":"\#(server.url(""))","jwks_uri":"\#(server.url())"\#(named)}"#)
    }

    private static func configuration(_ stand: IntrospectionStand, _ server: KeyServer) throws
        -> IntrospectionConfiguration
    {
        let keySet = KeySetConfiguration(source: .discovery(issuer: server.url("")), issuer: server.url(""))
        let document = try #require(IssuerDocument(of: keySet))
        return try stand.configuration(server.url("/unused")) { $0.endpoint = .learnt(from: document) }
    }

    /// Runs an introspector that has to learn its endpoint from the server.
    private static func running(_ body: (IntrospectionStand, KeyServer, TokenIntrospector) async throws -> Void)
        async throws
    {
        let stand = try IntrospectionStand()
        try await KeyServer.running { server in
            let introspector = stand.introspector(try configuration(stand, server))
            await introspector.start()
            try await body(stand, server, introspector)
            await introspector.stop()
        }
    }

    @Test func `the introspection endpoint is learnt with the first token, and kept`() async throws {
        try await Self.running { stand, server, introspector in
            server.answer(Self.path, with: Self.metadata(server, endpoint: server.url("/ask?v=1")))
            server.answer("/ask?v=1", with: .json(#"{"active":true}"#))
            #expect(server.requests.isEmpty)
            #expect(await introspector.status.endpoint == nil)
            for token in ["a", "b", "c"] { #expect(await stand.ask(introspector, token) == .response(active: true)) }
            #expect(server.requests.map(\.path) == [Self.path, "/ask?v=1", "/ask?v=1", "/ask?v=1"])
            #expect(await introspector.status.endpoint?.text == server.url("/ask?v=1"))
        }
    }

    @Test func `concurrent introspections request the metadata once`() async throws {
        try await Self.running { stand, server, introspector in
            server.answer(Self.path, with: Self.metadata(server, endpoint: server.url("/ask")))
            server.answer("/ask", with: .json(#"{"active":true}"#))
            await withTaskGroup { group in
                for number in 0..<20 {
                    group.addTask { #expect(await stand.ask(introspector, "t\(number)") == .response(active: true)) }
                }
            }
            #expect(server.count(of: Self.path) == 1)
            #expect(server.count(of: "/ask") == 20)
        }
    }

    @Test func `after a failure of the endpoint the metadata is requested again`() async throws {
        try await Self.running { stand, server, introspector in
            let replies = ["/old", "/new"].map { Self.metadata(server, endpoint: server.url($0)) }
            server.answer(Self.path, inTurn: replies)
            server.answer("/old", with: .status(.badGateway))
            server.answer("/new", with: .json(#"{"active":true}"#))
            guard case .unavailable = await stand.ask(introspector, "a") else { throw Unexpected() }
            #expect(await introspector.status.endpoint == nil)
            #expect(await stand.ask(introspector, "b") == .response(active: true))
            #expect(server.requests.map(\.path) == [Self.path, "/old", Self.path, "/new"])
        }
    }

    @Test func `tokens that make the endpoint fail do not cause further metadata requests`() async throws {
        try await Self.running { stand, server, introspector in
            server.answer(Self.path, with: Self.metadata(server, endpoint: server.url("/ask")))
            server.answer("/ask", with: .status(.internalServerError))
            for token in ["a", "b", "c"] { _ = await stand.ask(introspector, token) }
            #expect(server.count(of: Self.path) == 1)
            #expect(server.count(of: "/ask") == 3)
        }
    }

    @Test func `metadata without an introspection endpoint is reported, with what to write`() async throws {
        try await Self.running { stand, server, introspector in
            server.answer(Self.path, with: Self.metadata(server, endpoint: nil))
            guard case .unavailable = await stand.ask(introspector, "a") else { throw Unexpected() }
            let failure = await introspector.status.lastFailure
            #expect(failure == .endpointNotNamed(source: server.url(""), .missing))
            let words =
                "the metadata of \(server.url("")) has no introspection_endpoint; write the issuer's endpoint as `endpoint` below `introspect`"
            #expect(stand.log.all.contains { $0.contains(words) })
        }
    }

    @Test func `unreadable metadata is reported as such, and opens the breaker`() async throws {
        try await Self.running { stand, server, introspector in
            let url = server.url(Self.path)
            for number in 0..<10 { _ = await stand.ask(introspector, "t\(number)") }
            let status = await introspector.status
            let both = [url, server.url("/.well-known/oauth-authorization-server")]
            let failures = both.map { KeySetFetchFailure.unexpectedStatus(url: $0, 404, retryAfter: nil) }
            #expect(status.lastFailure == .endpointNotLearnt(.metadataNowhere(failures)))
            #expect(status.isPaused)
            #expect(server.count(of: Self.path) < 10)
        }
    }

    @Test func `a plain http endpoint beyond loopback is never used, whatever the metadata says`() async throws {
        try await Self.running { stand, server, introspector in
            server.answer(Self.path, with: Self.metadata(server, endpoint: "http://192.0.2.1/ask"))
            guard case .unavailable = await stand.ask(introspector, "a") else { throw Unexpected() }
            #expect(await introspector.status.lastFailure == .exchange(.plainHTTPRefused(url: "http://192.0.2.1/ask")))
        }
    }

    /// The metadata comes through a proxy, so its address counts as public.
    @Test func `a public issuer cannot redirect our credentials to this machine`() async throws {
        let stand = try IntrospectionStand()
        try stand.directory.write(SampleCertificates.trustAnchor, to: "ca.pem")
        try await KeyServer.running(certificate: SampleCertificates.otherHost) { server in
            try await ConnectProxy.running(to: server.port) { proxy in
                let (issuer, endpoint) = ("https://other.example", "https://127.0.0.1:\(server.port)/ask")
                server.answer(
                    Self.path,
                    with: .json(
                        #"{"issuer":"\#(issuer)","jwks_uri":"\#(issuer)/k","introspection_endpoint":"\#(endpoint)"}"#))
                server.answer("/ask", with: .json(#"{"active":true}"#))
                let keySet = KeySetConfiguration(
                    source: .discovery(issuer: issuer), issuer: issuer, caFile: stand.directory.path("ca.pem"))
                let document = try #require(IssuerDocument(of: keySet))
                let proxies = ProxyEnvironment(environment: ["HTTPS_PROXY": "http://127.0.0.1:\(proxy.port)"])
                let configuration = try stand.configuration(server.url()) { $0.endpoint = .learnt(from: document) }
                let introspector = stand.introspector(configuration, proxies: proxies)
                await introspector.start()
                guard case .unavailable = await stand.ask(introspector, "a") else { throw Unexpected() }
                #expect(
                    await introspector.status.lastFailure
                        == .exchange(.addressRefused(url: endpoint, address: "127.0.0.1", .loopback, issuer: .global)))
                #expect(server.count(of: Self.path) == 1)
                #expect(server.count(of: "/ask") == 0)
                await introspector.stop()
            }
        }
    }

    private struct Unexpected: Error {}
}
