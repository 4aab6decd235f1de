import DevelopmentIssuer
import Foundation
import Testing

/// Upgrades and the end under clients that keep their connections alive and ask again at once, over HTTP/1.1 and
/// HTTP/2.
@Suite(.serialized) final class HandOverEndToEndTests {
    /// How many upgrades; many make a long run of it.
    private static let upgrades = ProcessInfo.processInfo.environment["BEARWARD_UPGRADES"].flatMap { Int($0) } ?? 3
    /// How long the load goes on between two of them.
    private static let pace = Duration.seconds(upgrades > 3 ? 4 : 1)

    /// Runs a few clients of each kind: that never rest, and that rest a little.
    private static func load(
        _ edge: EdgeFixture, until end: KeptAliveClient.End, _ work: @escaping @Sendable () async throws -> Void
    ) async throws -> KeptAliveReport {
        let token = try edge.token()
        let port = edge.port
        return try await withThrowingTaskGroup(of: KeptAliveReport.self) { group in
            for generation in KeptAliveClient.Generation.allCases {
                for pause in [Duration.zero, .zero, .milliseconds(7), .milliseconds(60)] {
                    group.addTask {
                        await onThread {
                            var client = KeptAliveClient(
                                generation, port: port, path: "/api/orders", token: token, pause: pause)
                            return client.run(until: end)
                        }
                    }
                }
            }
            group.addTask {
                try await work()
                if case .raised(let sign) = end { sign.raise() }
                return KeptAliveReport()
            }
            return try await group.reduce(KeptAliveReport(), +)
        }
    }

    private static func workers(of gateway: BearwardProcess) -> Int {
        let pid = gateway.process.processIdentifier
        let children = try? String(contentsOfFile: "/proc/\(pid)/task/\(pid)/children", encoding: .utf8)
        return children?.split(separator: " ").count ?? 0
    }

    @Test func `upgrades lose no request of clients that keep their connections alive, and the old workers end`()
        async throws
    {
        let upstream = try await LoopbackServer.upstream()
        let edge = try await EdgeFixture.start(
            listener: "protocols: [h2c, http/1.1]", upstream: upstream.url,
            topLines: "access_log: none\ntimeouts: {drain: 20s}\n")
        let gateway = edge.gateway.gateway
        let report = try await Self.load(edge, until: .raised(StopSign())) {
            try await Task.sleep(for: Self.pace)
            for turn in 1...Self.upgrades {
                gateway.signal(SIGUSR2)
                #expect(
                    await BearwardProcess.wait {
                        gateway.count(of: "A worker took over") == turn
                    }, "\(gateway.standardError)")
                try await Task.sleep(for: Self.pace)
            }
        }
        print(
            "upgrades: \(report.good) good, \(report.bad.count) lost, \(report.connections) connections, \(Self.upgrades) upgrades"
        )
        #expect(report.bad == [])
        #expect(report.good > 500)
        // Each client was told at each upgrade.
        #expect(report.connections >= 8 * Self.upgrades)
        #expect(await BearwardProcess.wait(atMost: .seconds(15)) { Self.workers(of: gateway) == 1 })
        await edge.stop()
        await upstream.stop()
    }

    @Test func `told to end, it answers requests on open connections, and says that it was the last response`()
        async throws
    {
        let upstream = try await LoopbackServer.upstream()
        let edge = try await EdgeFixture.start(
            listener: "protocols: [h2c, http/1.1]", upstream: upstream.url,
            topLines: "access_log: none\ntimeouts: {drain: 20s}\n")
        let gateway = edge.gateway.gateway
        let report = try await Self.load(edge, until: .told) {
            try await Task.sleep(for: .milliseconds(500))
            gateway.signal(SIGTERM)
        }
        #expect(report.bad == [])
        #expect(report.good > 100)
        #expect(report.connections == 8)
        #expect(await gateway.exitStatus() == 0)
        await edge.stop()
        await upstream.stop()
    }
}
