import DevelopmentIssuer
import Foundation
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

/// Quotas of the real command: counted by one gateway, and shared in a real Redis server that is killed.
@Suite(.serialized) struct QuotaEndToEndTests {
    private struct Stage {
        let issuer: AuthorizationServer
        let shop: SampleShop

        static func start() async throws -> Stage {
            Stage(
                issuer: try await AuthorizationServer.start(on: .anyLoopback, algorithm: .rs256),
                shop: try await SampleShop.start())
        }

        func text(_ topLines: String) -> String {
            topLines + GatewayFixture.shortDrain
                + GatewayFixture.text(
                    issuer: issuer.issuer, upstream: shop.url,
                    rules: """
                              GET /orders/**: {all_of: [shopping:read], quotas: [per-user]}
                              GET /me: {quotas: [strict]}
                              GET,HEAD /status: {public: true, quotas: [per-user]}
                        """)
        }

        func token(_ subject: String, scopes: [String] = ["shopping:read"]) throws -> String {
            try issuer.mint(
                TokenRequest(
                    client: "app-1", subject: subject, audiences: [GatewayFixture.audience], scopes: scopes,
                    lifetime: .seconds(600)))
        }

        func stop() async {
            await issuer.stop()
            await shop.stop()
        }
    }

    private static let quotas =
        "quotas: {per-user: {requests: 2, per: 1h}, strict: {requests: 2, per: 1h, when_unreachable: refuse}}\n"

    private static func statuses(_ gateway: ServedFile, _ path: String, _ token: String?, _ count: Int) async throws
        -> [Int]
    {
        var statuses: [Int] = []
        for _ in 0..<count { statuses.append(try await gateway.ask(path, token: token).status) }
        return statuses
    }

    @Test func `a caller gets the configured number of requests, and is told how many are left`() async throws {
        let stage = try await Stage.start()
        let gateway = try await ServedFile.start(stage.text(Self.quotas))
        let (one, other) = try (stage.token("u1"), stage.token("u2"))
        let first = try await gateway.ask("/api/orders", token: one)
        #expect(first.status == 200 && first.fields["RateLimit"] == [#""per-user";r=1;t=1800"#])
        #expect(try await Self.statuses(gateway, "/api/orders", one, 2) == [200, 429])
        #expect(try await gateway.ask("/api/orders", token: other).status == 200)
        // A refused request is not charged.
        #expect(
            try await Self.statuses(gateway, "/api/orders", stage.token("u3", scopes: []), 4) == [403, 403, 403, 403])
        #expect(try await Self.statuses(gateway, "/api/orders", stage.token("u3"), 3) == [200, 200, 429])
        let refusal = try await gateway.ask("/api/orders", token: one)
        let wait = try #require(refusal.fields["Retry-After"].first.flatMap { Int($0) })
        #expect(
            refusal.status == 429 && (1790...1800).contains(wait)
                && refusal.fields["RateLimit"] == [#""per-user";r=0;t=\#(wait)"#])
        #expect(refusal.fields["RateLimit-Policy"].first?.hasPrefix(#""per-user";q=2;w=3600;pk=:"#) == true)
        #expect(await BearwardProcess.wait { gateway.lastReason == "quota_exceeded" })
        // Requests without a token are counted by address.
        #expect(try await Self.statuses(gateway, "/api/status", nil, 3) == [200, 200, 429])
        let metrics = try await gateway.administration("/metrics").body
        #expect(metrics.contains("\nbearward_quota_callers 4\n") && !metrics.contains("\nbearward_shared_state_up"))
        // A reload keeps all counts.
        try await gateway.reload(stage.text("\(Self.quotas)limits: {quota_keys: 4}\n"))
        #expect(try await gateway.ask("/api/orders", token: one).status == 429)
        // There are four callers, and none of them is idle.
        let unknown = try await gateway.ask("/api/orders", token: stage.token("u9"))
        #expect(unknown.status == 503)
        #expect(await BearwardProcess.wait { gateway.lastReason == "overloaded" })
        #expect(
            try await gateway.administration("/metrics").body.contains(
                #"bearward_limit_hits_total{limit="quota_keys"} 1"#))
        await gateway.stop()
        await stage.stop()
    }

    @Test(.enabled(if: RedisProgram.isThere, "redis-server is not installed"))
    func `two gateways share a caller's quota, and each permits its part while the store is down`() async throws {
        let stage = try await Stage.start()
        let port = try FreePort.find()
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let secret = try folder.write("0123456789abcdef0123456789abcdef\n", to: "secret")
        let text = stage.text(
            "\(Self.quotas)shared_state: {url: \"redis://127.0.0.1:\(port)\", nodes: 2, secret_file: \"\(secret.path)\", timeout: 2s}\n"
        )
        var store = try RedisProgram(port: port)
        let gateways = [try await ServedFile.start(text), try await ServedFile.start(text)]
        for gateway in gateways { #expect(await Self.storeIsUp(gateway, 1)) }
        let token = try stage.token("u1")
        #expect(try await Self.statuses(gateways[0], "/api/orders", token, 1) == [200])
        #expect(try await Self.statuses(gateways[1], "/api/orders", token, 2) == [200, 429])
        #expect(try await Self.statuses(gateways[0], "/api/orders", token, 1) == [429])
        store.kill()
        for gateway in gateways { #expect(await Self.storeIsUp(gateway, 0)) }
        // Each gateway permits half of two. A request that must be counted in the store is refused.
        for gateway in gateways {
            #expect(try await Self.statuses(gateway, "/api/orders", stage.token("u2"), 2) == [200, 429])
            #expect(try await gateway.ask("/api/me", token: token).status == 503)
            #expect(await BearwardProcess.wait { gateway.lastReason == "quota_unavailable" })
            #expect(gateway.gateway.count(of: "Shared state does not answer") == 1)
        }
        store = try RedisProgram(port: port)
        for gateway in gateways { #expect(await Self.storeIsUp(gateway, 1)) }
        #expect(try await gateways[0].ask("/api/me", token: token).status == 200)
        #expect(await BearwardProcess.wait { gateways[0].gateway.count(of: "Shared state answers again") == 1 })
        for gateway in gateways { await gateway.stop() }
        store.kill()
        await stage.stop()
    }

    private static func storeIsUp(_ gateway: ServedFile, _ value: Int) async -> Bool {
        for _ in 0..<400 {
            if let metrics = try? await gateway.administration("/metrics").body,
                metrics.contains("\nbearward_shared_state_up \(value)\n")
            {
                return true
            }
            try? await Task.sleep(for: .milliseconds(25))
        }
        return false
    }
}
