import JOSE
import KeySetFetching
import KeySets
import NIOHTTP1
import StrictJSON
import Testing

@Suite struct DiscoveryTests {
    private func configuration(_ server: KeyServer, path: String = "") -> KeySetConfiguration {
        let issuer = server.url(path)
        return SampleDocuments.configuration(.discovery(issuer: issuer), issuer: issuer)
    }

    @Test func `the key set is found through OpenID Connect's metadata`() async throws {
        try await KeyServer.running { server in
            let issuer = server.url("/oidc")
            server.answer(
                "/oidc/.well-known/openid-configuration",
                with: .json(SampleDocuments.metadata(issuer: issuer, jwkSetURL: server.url())))
            server.answer(with: .json(SampleDocuments.keySet("a")))
            let found = try await SampleDocuments.load(configuration(server, path: "/oidc"))
            #expect(found == ["a"])
            #expect(server.requests.map(\.path) == ["/oidc/.well-known/openid-configuration", "/keys"])
        }
    }

    @Test func `if there is no OpenID Connect metadata, RFC 8414's is requested`() async throws {
        try await KeyServer.running { server in
            let issuer = server.url("/oidc")
            server.answer(
                "/.well-known/oauth-authorization-server/oidc",
                with: .json(SampleDocuments.metadata(issuer: issuer, jwkSetURL: server.url())))
            server.answer(with: .json(SampleDocuments.keySet("a")))
            let found = try await SampleDocuments.load(configuration(server, path: "/oidc"))
            #expect(found == ["a"])
        }
    }

    @Test(arguments: [
        KeyServer.Reply.status(.notFound), .status(.forbidden), .status(.found, headers: ["Location": "/login"]),
        .json("<html></html>"),
        .json(""), .json("[]"), .json("{}"), .json(#"{"error":"not_found"}"#), .json(#"{"issuer":7}"#),
        .json("\u{FEFF}{}"), .json("{}", headers: ["Content-Encoding": "br"]),
        .json("{}", headers: ["Content-Encoding": "gzip"]),
        KeyServer.Reply(body: Array(repeating: 0x20, count: 256 * 1024 + 1)),
    ])
    func `if the OpenID Connect response is no metadata, RFC 8414's is requested`(_ reply: KeyServer.Reply)
        async throws
    {
        try await KeyServer.running { server in
            let issuer = server.url("/oidc")
            let metadata = KeyServer.Reply.json(SampleDocuments.metadata(issuer: issuer, jwkSetURL: server.url()))
            let places = ["/oidc/.well-known/openid-configuration", "/.well-known/oauth-authorization-server/oidc"]
            server.answer(places[0], with: reply)
            server.answer(places[1], with: metadata)
            server.answer(with: .json(SampleDocuments.keySet("a")))
            let found = try await SampleDocuments.load(configuration(server, path: "/oidc"))
            #expect(found == ["a"])
            #expect(server.requests.map(\.path) == places + ["/keys"])
        }
    }

    @Test func `if OpenID Connect metadata names no key set, RFC 8414's is requested`() async throws {
        try await KeyServer.running { server in
            server.answer("/.well-known/openid-configuration", with: .json(#"{"issuer":"\#(server.url(""))"}"#))
            server.answer(
                "/.well-known/oauth-authorization-server",
                with: .json(SampleDocuments.metadata(issuer: server.url(""), jwkSetURL: server.url())))
            server.answer(with: .json(SampleDocuments.keySet("a")))
            let found = try await SampleDocuments.load(configuration(server))
            #expect(found == ["a"])
        }
    }

    @Test func `if neither document can be used, both responses are reported`() async throws {
        try await KeyServer.running { server in
            let places = ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"].map {
                server.url($0)
            }
            server.answer("/.well-known/openid-configuration", with: .json("\u{FEFF}{}"))
            let expected = KeySetFetchFailure.metadataNowhere([
                .metadataRefused(url: places[0], .notJSON(.byteOrderMark), expectedIssuer: server.url("")),
                .unexpectedStatus(url: places[1], 404, retryAfter: nil),
            ])
            await #expect(throws: expected) { try await SampleDocuments.load(configuration(server)) }
            #expect(
                expected.description
                    == "\(places[0]) is not metadata: it begins with a byte order mark (U+FEFF); \(places[1]) answered 404"
            )
            #expect(server.requests.count == 2)
        }
    }

    @Test func `if the second response has the more telling error, the first is reported too`() async throws {
        try await KeyServer.running { server in
            let places = ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"].map {
                server.url($0)
            }
            server.answer(
                "/.well-known/oauth-authorization-server",
                with: .json(SampleDocuments.metadata(issuer: "https://other.example", jwkSetURL: server.url())))
            let expected = KeySetFetchFailure.metadataNowhere([
                .unexpectedStatus(url: places[0], 404, retryAfter: nil),
                .metadataRefused(
                    url: places[1], .issuerMismatch(found: "https://other.example"), expectedIssuer: server.url("")),
            ])
            await #expect(throws: expected) { try await SampleDocuments.load(configuration(server)) }
            #expect(server.count() == 0)
        }
    }

    @Test func `T371: metadata of another issuer is refused, and no key set is fetched`() async throws {
        try await KeyServer.running { server in
            let other = "https://other.example"
            let url = server.url("/.well-known/openid-configuration")
            server.answer(
                "/.well-known/openid-configuration",
                with: .json(SampleDocuments.metadata(issuer: other, jwkSetURL: server.url())))
            let expected = KeySetFetchFailure.metadataRefused(
                url: url, .issuerMismatch(found: other), expectedIssuer: server.url(""))
            await #expect(throws: expected) { try await SampleDocuments.load(configuration(server)) }
            #expect(server.requests.count == 1)
            #expect(
                expected.description
                    == "the document's issuer is \"\(other)\" but \"\(server.url(""))\" is configured (\(url))")
            #expect(server.count() == 0)
        }
    }

    @Test func `the URL of the metadata and the expected issuer may differ`() async throws {
        try await KeyServer.running { server in
            let issuer = "https://id.example"
            server.answer(
                "/.well-known/openid-configuration",
                with: .json(SampleDocuments.metadata(issuer: issuer, jwkSetURL: server.url())))
            server.answer(with: .json(SampleDocuments.keySet("a")))
            let configuration = SampleDocuments.configuration(.discovery(issuer: server.url("")), issuer: issuer)
            let found = try await SampleDocuments.load(configuration)
            #expect(found == ["a"])
        }
    }

    @Test func `an issuer on loopback may name a jwks_uri on loopback under another name`() async throws {
        try await KeyServer.running { server in
            let keys = server.url(host: "localhost")
            server.answer(
                "/.well-known/openid-configuration",
                with: .json(SampleDocuments.metadata(issuer: server.url(""), jwkSetURL: keys)))
            server.answer(with: .json(SampleDocuments.keySet("a")))
            let found = try await SampleDocuments.load(configuration(server))
            #expect(found == ["a"])
        }
    }

    @Test func `a plain http jwks_uri beyond loopback is refused without the operator's permission`() async throws {
        try await KeyServer.running { server in
            let keys = "http://192.0.2.1/keys"
            server.answer(
                "/.well-known/openid-configuration",
                with: .json(SampleDocuments.metadata(issuer: server.url(""), jwkSetURL: keys)))
            await #expect(throws: KeySetFetchFailure.plainHTTPRefused(url: keys)) {
                try await SampleDocuments.load(configuration(server))
            }
        }
    }

    @Test func `a failed metadata response other than 404 ends the attempt`() async throws {
        try await KeyServer.running { server in
            server.answer("/.well-known/openid-configuration", with: .status(.internalServerError))
            let url = server.url("/.well-known/openid-configuration")
            await #expect(throws: KeySetFetchFailure.unexpectedStatus(url: url, 500, retryAfter: nil)) {
                try await SampleDocuments.load(configuration(server))
            }
            #expect(server.requests.count == 1)
        }
    }

    @Test func `one deadline covers metadata and key set together`() async throws {
        try await KeyServer.running { server in
            server.answer(
                "/.well-known/openid-configuration",
                with: .json(SampleDocuments.metadata(issuer: server.url(""), jwkSetURL: server.url())))
            server.answer(with: .silence)
            var configuration = configuration(server)
            configuration.fetchDeadline = .milliseconds(300)
            await #expect(throws: KeySetFetchFailure.timedOut(source: server.url(""), after: .milliseconds(300))) {
                try await SampleDocuments.load(configuration)
            }
        }
    }
}

@Suite struct MetadataURLTests {
    private let path = "/common/.well-known/openid-configuration"

    /// Metadata requested at another host name of the server than the issuer's.
    private func configuration(_ server: KeyServer, issuer: String) -> KeySetConfiguration {
        SampleDocuments.configuration(.metadata(url: server.url(path, host: "localhost")), issuer: issuer)
    }

    @Test(arguments: ["/tenant", "/{tenantid}/v2.0"])
    func `metadata on another host is accepted if it names the expected issuer`(issuerPath: String) async throws {
        try await KeyServer.running { server in
            let issuer = server.url(issuerPath)
            server.answer(path, with: .json(SampleDocuments.metadata(issuer: issuer, jwkSetURL: server.url())))
            server.answer(with: .json(SampleDocuments.keySet("a")))
            let found = try await SampleDocuments.load(configuration(server, issuer: issuer))
            #expect(found == ["a"])
            #expect(server.requests.map(\.path) == [path, "/keys"])
        }
    }

    @Test func `metadata with any other issuer is refused, even with the issuer of its own host`() async throws {
        try await KeyServer.running { server in
            let pinned = server.url("/tenant")
            for found in [server.url("/tenant", host: "localhost"), server.url("/tenant/"), server.url("/other"), ""] {
                server.answer(path, with: .json(SampleDocuments.metadata(issuer: found, jwkSetURL: server.url())))
                let url = server.url(path, host: "localhost")
                let expected = KeySetFetchFailure.metadataRefused(
                    url: url, .issuerMismatch(found: found), expectedIssuer: pinned)
                await #expect(throws: expected) {
                    try await SampleDocuments.load(configuration(server, issuer: pinned))
                }
            }
            #expect(server.count() == 0)
        }
    }

    @Test func `a jwks_uri that is neither https nor on loopback is refused`() async throws {
        try await KeyServer.running { server in
            let issuer = "https://id.example"
            let keys = "http://192.0.2.1/keys"
            server.answer(path, with: .json(SampleDocuments.metadata(issuer: issuer, jwkSetURL: keys)))
            let url = server.url(path, host: "localhost")
            let expected = KeySetFetchFailure.metadataRefused(
                url: url, .jwkSetURLNotHTTPS(keys), expectedIssuer: issuer)
            await #expect(throws: expected) { try await SampleDocuments.load(configuration(server, issuer: issuer)) }
        }
    }

    @Test func `only the configured metadata address is requested`() async throws {
        try await KeyServer.running { server in
            let expected = KeySetFetchFailure.unexpectedStatus(
                url: server.url(path, host: "localhost"), 404, retryAfter: nil)
            await #expect(throws: expected) {
                try await SampleDocuments.load(configuration(server, issuer: server.url("")))
            }
            #expect(server.requests.map(\.path) == [path])
        }
    }

    @Test func `a metadata address that is no URL is refused`() async {
        await #expect(throws: KeySetFetchFailure.urlInvalid("login.example")) {
            try await SampleDocuments.load(SampleDocuments.configuration(.metadata(url: "login.example")))
        }
    }
}
