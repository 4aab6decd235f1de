import DevelopmentIssuer
import Foundation
import Synchronization
import Testing

/// Upgrades and the end under clients that keep their connections alive and ask again at once, over HTTP/1.1 and
/// HTTP/2.
@Suite(.serialized) final class HandOverEndToEndTests {
    /// How many upgrades; many make a long run of it.
    private static let upgrades = ProcessInfo.processInfo.environment["BEARWARD_UPGRADES"].flatMap { Int($0) } ?? 3
    /// How many answers each client has before the first of them, and from one to the next.
    private static let pace = upgrades > 3 ? 60 : 15

    /// Generations and pauses of the clients: two of each generation never rest, two rest a little.
    private static let clients = KeptAliveClient.Generation.allCases.flatMap { generation in
        [Duration.zero, .zero, .milliseconds(7), .milliseconds(60)].map { (generation, $0) }
    }

    /// How many answers each client has had.
    private final class Answers: Sendable {
        private let counts = Mutex([Int](repeating: 0, count: clients.count))

        func note(_ client: Int) { counts.withLock { $0[client] += 1 } }

        /// Waits until each client has had some more.
        func more(_ number: Int) async {
            let wanted = counts.withLock { $0.map { $0 + number } }
            let isThere = await BearwardProcess.wait(atMost: .seconds(60)) {
                counts.withLock { zip($0, wanted).allSatisfy { $0 >= $1 } }
            }
            #expect(isThere, "clients waited in vain: \(counts.withLock { $0 }), not \(wanted)")
        }
    }

    /// Runs the clients beside the work, which is told of their answers.
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

    @Test func `upgrades lose no request of clients that keep their connections alive, and the old workers end`()
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
