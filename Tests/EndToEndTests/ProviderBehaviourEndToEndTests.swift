import DevelopmentIssuer
import Foundation
import NIOHTTP1
import ProviderFixtures
import Testing

/// Behaviour of providers and their clients beyond the samples: long tokens, clock differences, broken credentials, and
/// challenges that clients must parse.
@Suite(.serialized) struct ProviderBehaviourEndToEndTests {
    @Test func `a token of 14 KiB passes, and a token of 17 KiB makes the head too large`() async throws {
        let fixture = try await KeyLifeFixture.start()
        let group = #""0f6d1c7e-52b8-4a39-9e04-7c1fb28d5a60""#
        // As many groups as make 14 KiB of base64url: the payload's share is three quarters of the token's length.
        let groups = Array(repeating: group, count: 14 * 1024 * 3 / 4 / (group.utf8.count + 1) - 5).joined(
            separator: ",")
        let long = try fixture.token(claims: #"{"groups":[\#(groups)]}"#)
        #expect(14_000...14_848 ~= long.utf8.count, "\(long.utf8.count)")
        #expect(try await fixture.gateway.ask("/api/orders", token: long).status == 200)
        let longer = long + String(repeating: "A", count: 17 * 1024 - long.utf8.count)
        #expect(try await fixture.gateway.ask("/api/orders", token: longer).status == 431)
        #expect(await fixture.gateway.logHas(lines: 2))
        #expect(fixture.gateway.lastReason == "head_too_large")
        #expect(try await fixture.gateway.ask("/api/orders", token: long).status == 200)
        await fixture.stop()
    }

    /// Some clients send tokens until they expire by the client's own clock, and send new tokens before the gateway's
    /// clock reaches their start.
    @Test func `a clock difference of half a minute is accepted, and over a minute is not`() async throws {
        let fixture = try await KeyLifeFixture.start()
        let now = Int(Date().timeIntervalSince1970)
        let trials: [(token: String, status: Int, reason: String?)] = [
            (try fixture.token(lifetime: .seconds(-30)), 200, nil),
            (try fixture.token(lifetime: .seconds(-90)), 401, "expired"),
            (try fixture.token(claims: #"{"nbf":\#(now + 30)}"#), 200, nil),
            (try fixture.token(claims: #"{"nbf":\#(now + 90)}"#), 401, "not_yet_valid"),
            (try fixture.token(claims: #"{"iat":\#(now + 30)}"#), 200, nil),
        ]
        for (index, trial) in trials.enumerated() {
            let answer = try await fixture.gateway.ask("/api/orders", token: trial.token)
            #expect(answer.status == trial.status, "\(index): \(answer.body)")
            #expect(await fixture.gateway.logHas(lines: index + 1))
            #expect(fixture.gateway.lastReason == trial.reason)
        }
        await fixture.stop()
    }

    @Test func `each kind of broken credentials gets its status and one challenge that simple clients can parse`()
        async throws
    {
        let fixture = try await KeyLifeFixture.start()
        let good = try fixture.token()
        let trials: [(credentials: String?, status: Int, error: String?, reason: String)] = [
            (nil, 401, nil, "missing_credentials"),
            ("Basic dXNlcjpwYXNz", 401, nil, "missing_credentials"),
            ("Bearer Empty", 401, "invalid_token", "opaque_not_supported"),
            ("Bearer ", 400, "invalid_request", "malformed_credentials"),
            ("Bearer", 400, "invalid_request", "malformed_credentials"),
            ("Bearer a b", 400, "invalid_request", "malformed_credentials"),
            ("bearer x.y.z", 401, "invalid_token", "malformed"),
            ("Bearer \(StrayToken.made(of: good))", 401, "invalid_token", "unknown_kid"),
            ("Bearer \(try fixture.token(audience: GatewayText.store))", 401, "invalid_token", "audience_mismatch"),
            (
                "Bearer \(try fixture.issuer.mint(TokenRequest(audiences: [GatewayText.audience])))", 403,
                "insufficient_scope",
                "insufficient_scope"
            ),
        ]
        for (index, trial) in trials.enumerated() {
            let name = trial.reason
            let answer = try await fixture.gateway.ask("/api/orders", credentials: trial.credentials)
            #expect(answer.status == trial.status, "\(name): \(answer.body)")
            let lines = answer.fields["WWW-Authenticate"]
            #expect(lines.count == 1, "\(name)")
            let challenge = try #require(lines.first.flatMap { ReceivedChallenge($0) }, "\(name): \(lines)")
            #expect(challenge["realm"] == GatewayText.audience)
            #expect(challenge["error"] == trial.error, "\(name)")
            #expect((challenge["resource_metadata"] == nil) == (trial.status == 400), "\(name)")
            #expect(lines.first.map(Self.isReadByNaiveClients) == true, "\(lines)")
            #expect(await fixture.gateway.logHas(lines: index + 1))
            #expect(fixture.gateway.lastReason == name)
        }
        #expect(try await fixture.gateway.ask("/api/orders", credentials: "bEaReR \(good)").status == 200)
        await fixture.stop()
    }

    /// Splits at every comma and takes the text between quotes, as the sample code of several SDKs does.
    private static func isReadByNaiveClients(_ line: String) -> Bool {
        line.dropFirst("Bearer ".count).split(separator: ",").allSatisfy { parameter in
            parameter.wholeMatch(of: /\s?[a-z_]+="[^",]*"/) != nil
        }
    }

    @Test func `each of two resources of one issuer accepts only its own tokens`() async throws {
        let fixture = try await KeyLifeFixture.start()
        let tokens = [
            "/api": try fixture.token(), "/store": try fixture.token(audience: GatewayText.store),
        ]
        for (place, token) in tokens {
            let other = try #require(tokens.keys.first { $0 != place })
            #expect(try await fixture.gateway.ask("\(place)/orders", token: token).status == 200)
            #expect(try await fixture.gateway.ask("\(other)/orders", token: token).status == 401)
        }
        #expect(await fixture.gateway.logHas(lines: 4))
        #expect(fixture.gateway.logged("audience_mismatch") == 2)
        await fixture.stop()
    }

    @Test(.enabled(if: Interop.curl != nil, "curl is not installed"))
    func `curl can follow the challenge to the resource's metadata`() async throws {
        let curl = try #require(Interop.curl)
        let fixture = try await KeyLifeFixture.start()
        let refused = try await fixture.gateway.ask("/api/orders", token: nil, host: "shopping.your-app.com")
        let link = try #require(
            refused.fields["WWW-Authenticate"].first.flatMap { ReceivedChallenge($0)?["resource_metadata"] })
        #expect(link == "https://shopping.your-app.com/.well-known/oauth-protected-resource/api")
        let url = try #require(URL(string: link))
        // A TLS-terminating proxy in front of the gateway passes on path and host.
        let address = "http://127.0.0.1:\(fixture.gateway.port)\(url.path)"
        let fetch = try BearwardProcess(
            program: curl, ["-sS", "--fail", "-H", "Host: \(url.host ?? "")", address], input: "")
        #expect(await fetch.exitStatus() == 0, "\(fetch.standardError)")
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let document = try decoder.decode(Metadata.self, from: Data(fetch.standardOutput.utf8))
        #expect(document.resource == GatewayText.audience)
        #expect(document.authorizationServers == [fixture.issuer.issuer])
        #expect(document.scopesSupported == ["read"])
        await fixture.stop()
    }

    private struct Metadata: Decodable {
        let resource: String
        let authorizationServers: [String]
        let scopesSupported: [String]
    }

    /// The issuers of these systems refuse clients that request a scope by its short name, as rules have it.
    @Test(arguments: [
        (
            ProviderName.entraExternal, "catalog", "access", ["Catalog.Read", "Catalog.Write"],
            "api://0d9e4c21-77b3-4f6a-8f12-3c5be0a94d70/"
        ),
        (
            .entraID, "orders", "access-v2", ["Orders.Read", "Orders.Write"],
            "api://3a6b8d94-f017-4e2c-9a5b-81d2c70e46f3/"
        ),
        (.azureB2C, "tasks", "access", ["tasks.read", "tasks.write"], "https://rotkiefer.onmicrosoft.com/tasks-api/"),
        (.cognito, "orders", "access", ["read", "write"], "orders/"),
    ])
    func `a client that requests exactly the scopes of the challenge is accepted`(
        provider: ProviderName, name: String, sample: String, names: [String], prefix: String
    ) async throws {
        let issuer = try await IssuerProcess.start(as: provider.rawValue)
        defer { issuer.stop() }
        let upstream = try await LoopbackServer.upstream()
        // Only a resource whose identifier is an https URL publishes metadata.
        let file = try ExampleFile(provider).runnable(keysAt: issuer.url, upstream: upstream.url)
            .replacing("\nresources:\n  \(name):", with: "\nresources:\n  https://api.example/\(name):")
        let gateway = try await ServedFile.start(file)
        func token(_ scopes: String) async throws -> String {
            let answer = try await issuer.token(["--sample", sample, "--scope", scopes])
            return try #require(answer.token, "\(scopes): \(answer.errors)")
        }
        func scopes(toldTo token: String?, _ method: HTTPMethod = .GET) async throws -> String {
            let refused = try await gateway.ask("/\(name)", token: token, method: method)
            #expect(refused.status == (token == nil ? 401 : 403))
            return try #require(
                refused.fields["WWW-Authenticate"].first.flatMap { ReceivedChallenge($0)?["scope"] }, "\(refused)")
        }
        let (reading, writing) = (prefix + names[0], prefix + names[1])
        // The short names in rules and tokens are not scopes that a client can request.
        for name in names {
            let refused = try await issuer.token(["--sample", sample, "--scope", name])
            #expect(refused.status == 64 && refused.output.isEmpty)
            #expect(
                refused.errors.contains("There is no scope \(name); clients ask for \(prefix)NAME"), "\(refused.errors)"
            )
        }
        #expect(try await scopes(toldTo: nil) == reading)
        #expect(try await scopes(toldTo: try await token("\(prefix)else")) == reading)
        #expect(try await gateway.ask("/\(name)", token: try await token(try await scopes(toldTo: nil))).status == 200)
        // Step-up: a client that may read requests the next scope.
        let more = try await scopes(toldTo: try await token(reading), .POST)
        #expect(more == writing)
        #expect(try await gateway.ask("/\(name)", token: try await token(more), method: .POST).status == 200)
        let published = try await gateway.ask("/.well-known/oauth-protected-resource/\(name)", token: nil)
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let document = try decoder.decode(Metadata.self, from: Data(published.body.utf8))
        #expect(Set(document.scopesSupported) == [reading, writing])
        let all = try await token(document.scopesSupported.joined(separator: " "))
        for method in [HTTPMethod.GET, .POST] {
            #expect(try await gateway.ask("/\(name)", token: all, method: method).status == 200)
        }
        await gateway.stop()
        await upstream.stop()
    }

    /// The example's rule requires the authentication context `c1`. Only clients that announce `cp1` understand a
    /// claims challenge.
    @Test func `a step-up challenge has the form that the client understands`() async throws {
        let server = try await ProviderServer.start(as: .entraID)
        let upstream = try await LoopbackServer.upstream()
        let gateway = try await ServedFile.start(
            try ExampleFile(.entraID).runnable(keysOf: server, upstream: upstream.url))
        func answer(_ claims: String) async throws -> GatewayFixture.Answer {
            let token = try #require(server.mint(SampleRequest("access-v2", claims: claims))).token
            return try await gateway.ask("/orders/7", token: token, method: .DELETE)
        }
        let capable = try await answer(#"{"xms_cc":["cp1"]}"#)
        #expect(capable.status == 401)
        let claims = try #require(capable.fields["WWW-Authenticate"].first.flatMap { ReceivedChallenge($0) })
        #expect(claims["error"] == "insufficient_claims")
        #expect(claims["authorization_uri"]?.hasPrefix("https://login.microsoftonline.com/") == true)
        #expect(
            claims["claims"]
                == Data(#"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#.utf8).base64EncodedString())
        let other = try await answer(#"{"xms_cc":[]}"#)
        #expect(other.status == 401)
        let standard = try #require(other.fields["WWW-Authenticate"].first.flatMap { ReceivedChallenge($0) })
        #expect(standard["error"] == "insufficient_user_authentication" && standard["acr_values"] == "c1")
        #expect(standard["claims"] == nil)
        #expect(try await answer(#"{"xms_cc":["cp1"],"acrs":["p1","c1"]}"#).status == 200)
        #expect(await gateway.logHas(lines: 3))
        #expect(gateway.logged("authentication_too_weak") == 2)
        await gateway.stop()
        await upstream.stop()
        await server.stop()
    }
}
