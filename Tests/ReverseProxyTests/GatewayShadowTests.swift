import AccessControl
import Foundation
import ProxySettings
import RequestAuthorization
import TestSupport
import Testing
import TokenVerification

@testable import ReverseProxy

/// A shadow configuration beside the running one: its logs and metrics, and that it never changes an answer.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct GatewayShadowTests {
    private static func shadow(_ settings: GatewaySettings, of gateway: GatewayFixture, generation: Int = 1) throws
        -> ShadowPolicy
    {
        let other = try settings.configuration(for: [gateway.upstream.target])
        return ShadowPolicy(
            ShadowAuthorizer(
                other.authorizer, beside: gateway.gateway.configuration.authorizer,
                introspectionAgrees: { _, _ in true }),
            besideGeneration: generation)
    }

    private static let forged: String = {
        let token = TestToken.good.with("iss", #""https://idp.example""#).with("exp", "4102444800")
        return "Authorization: Bearer \(token.signed(by: TestKeys.impostor))"
    }()

    private static func get(_ path: String, _ gateway: GatewayFixture, _ fields: String = "") async throws -> String {
        let client = try await gateway.connect()
        client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\(fields)Connection: close\r\n\r\n")
        return firstLine(try await client.receiveToEnd())
    }

    @Test func `a differing answer of the shadow is logged and counted, and the client's answer is unchanged`()
        async throws
    {
        try await withGateway(GatewaySettings(keys: TestKeys.set)) { gateway in
            let echo = gateway.upstream.echo()
            defer { echo.cancel() }
            var other = GatewaySettings(keys: TestKeys.set)
            other.isReversed = true
            await gateway.gateway.put(try Self.shadow(other, of: gateway))
            #expect(try await Self.get("/open", gateway) == "HTTP/1.1 200 OK")
            #expect(try await Self.get("/private/x", gateway) == "HTTP/1.1 401 Unauthorized")
            #expect(try await Self.get("/a/../b", gateway) == "HTTP/1.1 400 Bad Request")
            let lines = try await gateway.logLines(3)
            #expect(
                lines[0].contains(
                    #""status":200,"reason":null,"would":{"status":401,"reason":"missing_credentials","by":"shadow"}"#))
            #expect(
                lines[1].contains(
                    #""status":401,"reason":"missing_credentials","would":{"status":200,"reason":null,"by":"shadow"}"#))
            #expect(!lines[2].contains("would"))
            _ = try await holds {
                gateway.gateway.state.shadowCounts.results.counts == [.same: 1, .different: 2]
                    && gateway.gateway.state.shadowCounts.differences.counts.count == 2
            }
            #expect(gateway.gateway.state.shadowCounts.results.counts == [.same: 1, .different: 2])
            #expect(
                gateway.gateway.state.shadowCounts.differences.counts == [
                    ["open", "ANY /**", "", "missing_credentials"]: 1,
                    ["closed", "ANY /**", "missing_credentials", ""]: 1,
                ])
            await gateway.gateway.put(nil)
            #expect(try await Self.get("/private/x", gateway) == "HTTP/1.1 401 Unauthorized")
            #expect(try await !gateway.logLines(4)[3].contains("would"))
        }
    }

    @Test func `the shadow does not wait for keys, and its answer is then unknown`() async throws {
        try await withGateway(GatewaySettings(keys: TestKeys.set)) { gateway in
            await gateway.gateway.put(try Self.shadow(GatewaySettings(keys: nil), of: gateway))
            #expect(try await Self.get("/private/x", gateway, Self.forged + "\r\n") == "HTTP/1.1 401 Unauthorized")
            let line = try await gateway.logLines(1)[0]
            #expect(
                line.contains(#""reason":"bad_signature","would":{"status":null,"reason":"unknown","by":"shadow"}"#))
            _ = try await holds { gateway.gateway.state.shadowCounts.results.counts[.unknown] == 1 }
            #expect(gateway.gateway.state.shadowCounts.results.counts[.different] == nil)
        }
    }

    @Test func `requests over HTTP 2 are compared with the shadow too`() async throws {
        var settings = GatewaySettings(keys: TestKeys.set)
        settings.service = .plain(.http2)
        try await withGateway(settings) { gateway in
            var other = GatewaySettings(keys: TestKeys.set)
            other.isReversed = true
            await gateway.gateway.put(try Self.shadow(other, of: gateway))
            let client = try await HTTP2Peer.connect(gateway)
            client.request([(":method", "GET"), (":scheme", "http"), (":path", "/private/x"), (":authority", "a")])
            #expect(try await client.answer().status == "401")
            let line = try await gateway.logLines(1)[0]
            #expect(line.contains(#""would":{"status":200,"reason":null,"by":"shadow"}"#))
            #expect(line.contains(#""protocol":"h2""#))
        }
    }

    @Test func `a refusal that the running configuration only observes stays in the log beside a shadow`() async throws
    {
        try await withGateway(GatewaySettings(keys: TestKeys.set, mode: .observe(until: .latest))) { gateway in
            let echo = gateway.upstream.echo()
            defer { echo.cancel() }
            await gateway.gateway.put(try Self.shadow(GatewaySettings(keys: TestKeys.set), of: gateway))
            #expect(try await Self.get("/private/x", gateway) == "HTTP/1.1 200 OK")
            #expect(
                try await gateway.logLines(1)[0].contains(
                    #""would":{"status":401,"reason":"missing_credentials","by":"observe"}"#))
            _ = try await holds { gateway.gateway.state.shadowCounts.results.counts[.different] == 1 }
            #expect(gateway.gateway.state.shadowCounts.results.counts[.different] == 1)
        }
    }

    @Test func `a shadow prepared for another generation is not compared`() async throws {
        try await withGateway(GatewaySettings(keys: TestKeys.set)) { gateway in
            var other = GatewaySettings(keys: TestKeys.set)
            other.isReversed = true
            await gateway.gateway.put(try Self.shadow(other, of: gateway, generation: 2))
            #expect(try await Self.get("/private/x", gateway) == "HTTP/1.1 401 Unauthorized")
            #expect(try await !gateway.logLines(1)[0].contains("would"))
            #expect(
                gateway.gateway.state.shadowCounts.results.counts.isEmpty
                    && gateway.gateway.state.shadowCounts.differences.counts.isEmpty)
        }
    }
}
