import DevelopmentIssuer
import Foundation
import Synchronization
import Testing

/// Upgrades and exit under clients that keep their connections alive and send requests without a pause, over HTTP/1.1
/// and HTTP/2.
@Suite(.serialized) final class HandOverEndToEndTests {
    /// Number of upgrades; a large number makes a long run.
    private static let upgrades = ProcessInfo.processInfo.environment["BEARWARD_UPGRADES"].flatMap { Int($0) } ?? 3
    /// Number of answers that each client gets before the first upgrade and between upgrades.
    private static let pace = upgrades > 3 ? 60 : 15

    /// HTTP versions and pauses of the clients: two clients of each version never pause, two pause a little.
    private static let clients = KeptAliveClient.Generation.allCases.flatMap { generation in
        [Duration.zero, .zero, .milliseconds(7), .milliseconds(60)].map { (generation, $0) }
    }

    /// Number of answers that each client has got.
    private final class Answers: Sendable {
        private let counts = Mutex([Int](repeating: 0, count: clients.count))

        func note(_ client: Int) { counts.withLock { $0[client] += 1 } }

        /// Waits until each client has got this many more answers.
        func more(_ number: Int) async {
            let wanted = counts.withLock { $0.map { $0 + number } }
            let isThere = await BearwardProcess.wait(atMost: .seconds(60)) {
                counts.withLock { zip($0, wanted).allSatisfy { $0 >= $1 } }
            }
            #expect(isThere, "clients waited in vain: \(counts.withLock { $0 }), not \(wanted)")
        }
    }

    /// Runs the clients concurrently with the work, which can see their answers.
    private static func load(
        _ edge: EdgeFixture, until end: KeptAliveClient.End,
        _ work: @escaping @Sendable (Answers) async throws -> Void
    ) async throws -> KeptAliveReport {
        let token = try edge.token()
        let port = edge.port
        let answers = Answers()
        return try await withThrowingTaskGroup(of: KeptAliveReport.self) { group in
            for (number, (generation, pause)) in clients.enumerated() {
                group.addTask {
                    await onThread {
                        var client = KeptAliveClient(
                            generation, port: port, path: "/api/orders", token: token, pause: pause
                        ) { answers.note(number) }
                        return client.run(until: end)
                    }
                }
            }
            group.addTask {
                try await work(answers)
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

    @Test func `upgrades lose no request of clients with kept-alive connections, and the old workers exit`()
        async throws
    {
        let upstream = try await LoopbackServer.upstream()
        let edge = try await EdgeFixture.start(
            listener: "protocols: [h2c, http/1.1]", upstream: upstream.url,
            topLines: "access_log: none\ntimeouts: {drain: 20s}\n")
        let gateway = edge.gateway.gateway
        let report = try await Self.load(edge, until: .raised(StopSign())) { answers in
            await answers.more(Self.pace)
            for turn in 1...Self.upgrades {
                gateway.signal(SIGUSR2)
                #expect(
                    await BearwardProcess.wait {
                        gateway.count(of: "A worker took over") == turn
                    }, "\(gateway.standardError)")
                await answers.more(Self.pace)
            }
        }
        print(
            "upgrades: \(report.good) good, \(report.bad.count) lost, \(report.connections) connections, \(Self.upgrades) upgrades"
        )
        #expect(report.bad == [])
        // Each client got a notice to reconnect at each upgrade.
        #expect(report.connections >= 8 * Self.upgrades)
        #expect(await BearwardProcess.wait(atMost: .seconds(15)) { Self.workers(of: gateway) == 1 })
        await edge.stop()
        await upstream.stop()
    }

    @Test func `a gateway told to exit answers requests on open connections, and marks its last responses`()
        async throws
    {
        let upstream = try await LoopbackServer.upstream()
        let edge = try await EdgeFixture.start(
            listener: "protocols: [h2c, http/1.1]", upstream: upstream.url,
            topLines: "access_log: none\ntimeouts: {drain: 20s}\n")
        let gateway = edge.gateway.gateway
        let report = try await Self.load(edge, until: .told) { answers in
            await answers.more(Self.pace)
            gateway.signal(SIGTERM)
        }
        #expect(report.bad == [])
        #expect(report.connections == 8)
        #expect(await gateway.exitStatus() == 0)
        await edge.stop()
        await upstream.stop()
    }
}
