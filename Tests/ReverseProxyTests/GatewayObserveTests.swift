import AccessControl
import Foundation
import HTTPMessages
import ProxySettings
import RequestAuthorization
import TestSupport
import Testing
import TokenVerification

@testable import ReverseProxy

/// Observe mode: what the upstream gets of requests that would be refused, and what logs and metrics report.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct GatewayObserveTests {
    private static let forever = EnforcementMode.observe(until: .latest)
    private static let forged: String = {
        let token = TestToken.good.with("iss", #""https://idp.example""#).with("exp", "4102444800")
        return "Authorization: Bearer \(token.signed(by: TestKeys.impostor))"
    }()

    @Test func `a request that is only observed is forwarded without its token and without an identity (T470)`()
        async throws
    {
        let settings = GatewaySettings(keys: TestKeys.set, keepsAuthorization: true, mode: Self.forever)
        try await withGateway(settings) { gateway in
            let echo = gateway.upstream.echo()
            defer { echo.cancel() }
            for field in [Self.forged, "Authorization: Basic dTpw", "X-None: 1"] {
                let client = try await gateway.connect()
                client.send(
                    "GET /private/x HTTP/1.1\r\nHost: a\r\n\(field)\r\nX-Auth-Subject: root\r\nConnection: close\r\n\r\n"
                )
                let answer = try await client.receiveToEnd()
                #expect(firstLine(answer).hasPrefix("HTTP/1.1 200"))
                #expect(answer.contains("GET /private/x HTTP/1.1"))
                let echoed = answer.lowercased()
                #expect(!echoed.contains("authorization"))
                #expect(!echoed.contains("x-auth-subject"))
            }
            let lines = try await gateway.logLines(3)
            #expect(
                lines[0].contains(
                    #""status":200,"reason":null,"would":{"status":401,"reason":"bad_signature","by":"observe"}"#))
            #expect(lines[1].contains(#""would":{"status":401,"reason":"missing_credentials","by":"observe"}"#))
            // A line may be readable before its request is counted.
            let state = gateway.gateway.state
            try await eventually { state.decisions.observed.counts.values.reduce(0, +) == 3 }
            let observed = state.decisions.observed.counts.map { "\($0.key[0]) \($0.key[3]) \($0.value)" }.sorted()
            #expect(observed == ["closed bad_signature 1", "closed missing_credentials 2"])
            #expect(state.decisions.finished.counts.allSatisfy { $0.key[3].isEmpty })
        }
    }

    @Test func `the limit on failed verifications also holds in observe mode (T475)`() async throws {
        let limits = ProxyLimits(failedVerificationsPerAddress: 1)
        try await withGateway(GatewaySettings(limits: limits, keys: TestKeys.set, mode: Self.forever)) { gateway in
            let echo = gateway.upstream.echo()
            defer { echo.cancel() }
            var statuses: [String] = []
            // One failure per second is let through, so a slow machine may need more requests.
            for number in 0..<40 where statuses.last != "HTTP/1.1 429 Too Many Requests" {
                let client = try await gateway.connect()
                // Each request has a different token, since a repeated token would be treated as cached.
                let token = TestToken.good.with("iss", #""https://idp.example""#).with("jti", "\"\(number)\"")
                let field = "Authorization: Bearer \(token.signed(by: TestKeys.impostor))"
                client.send("GET /private/x HTTP/1.1\r\nHost: a\r\n\(field)\r\nConnection: close\r\n\r\n")
                statuses.append(firstLine(try await client.receiveToEnd()))
            }
            #expect(statuses.first?.hasPrefix("HTTP/1.1 200") == true)
            #expect(statuses.last == "HTTP/1.1 429 Too Many Requests")
        }
    }

    @Test func `an observed request that cannot wait for keys is forwarded, not refused`() async throws {
        var limits = ProxyLimits()
        limits.waitingForKeys = 0
        try await withGateway(GatewaySettings(limits: limits, mode: Self.forever)) { gateway in
            let echo = gateway.upstream.echo()
            defer { echo.cancel() }
            let client = try await gateway.connect()
            client.send("GET /private/x HTTP/1.1\r\nHost: a\r\n\(Self.forged)\r\nConnection: close\r\n\r\n")
            #expect(firstLine(try await client.receiveToEnd()).hasPrefix("HTTP/1.1 200"))
            #expect(
                try await gateway.logLines(1)[0].contains(
                    #""would":{"status":503,"reason":"keys_unavailable","by":"observe"}"#))
            #expect(gateway.gateway.state.limits.counts[.waitingForKeys] == 1)
        }
    }

    @Test func `an observed request waits for keys, and is forwarded if they do not come`() async throws {
        try await withGateway(GatewaySettings(mode: Self.forever)) { gateway in
            let echo = gateway.upstream.echo()
            defer { echo.cancel() }
            let client = try await gateway.connect()
            client.send("GET /private/x HTTP/1.1\r\nHost: a\r\n\(Self.forged)\r\nConnection: close\r\n\r\n")
            #expect(firstLine(try await client.receiveToEnd()).hasPrefix("HTTP/1.1 200"))
            #expect(
                try await gateway.logLines(1)[0].contains(
                    #""would":{"status":503,"reason":"keys_unavailable","by":"observe"}"#))
        }
    }

    @Test func `a stream let in by observe mode ends with the mode, for the reason it would have been refused`()
        async throws
    {
        let end = NumericDate(seconds: Date.now.timeIntervalSince1970 + 1.5)
        try await withGateway(GatewaySettings(keys: TestKeys.set, mode: .observe(until: end))) { gateway in
            let answer = gateway.upstream.answer { _ in
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n"
            }
            defer { answer.cancel() }
            let client = try await gateway.connect()
            client.send("GET /private/x HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try await client.receive(through: "first\r\n")
            #expect(try await client.receive(through: "0\r\n\r\n") == "0\r\n\r\n")
            let line = try await gateway.logLines(1)[0]
            #expect(
                line.contains(
                    #""reason":"missing_credentials","would":{"status":401,"reason":"missing_credentials","by":"observe"}"#
                ))
            client.send("GET /private/x HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(firstLine(try await client.receive(through: "\r\n\r\n")) == "HTTP/1.1 401 Unauthorized")
        }
    }
}
