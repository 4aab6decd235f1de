import AsyncHTTPClient
import DevelopmentIssuer
import Foundation
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

/// Workers that hang, at their start, at work and at their end: the real processes, stopped by SIGSTOP.
@Suite(.serialized) final class StuckWorkerEndToEndTests {
    /// Asks until it is answered well, with a connection of its own each time: one to a worker that is stuck is never
    /// answered.
    private static func isServed(_ fixture: GatewayFixture, within limit: Duration = .seconds(30)) async -> Bool {
        await BearwardProcess.wait(atMost: limit) { await ask(fixture.port) == 200 }
    }

    private static func ask(_ port: Int) async -> Int? {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/api/status")
        request.headers.add(name: "Connection", value: "close")
        return (try? await HTTPClient.shared.execute(request, timeout: .seconds(2))).map { Int($0.status.code) }
    }

    @Test
    func
        `F47 where an upgrade hangs and the worker that serves dies, another serves at once, and the late one never does`()
        async throws
    {
        let fixture = try await GatewayFixture.start()
        let workers = WorkerProcesses(gateway: fixture.gateway)
        let first = try #require(workers.living.first)
        fixture.gateway.signal(SIGUSR2)
        let late = try #require(await workers.next(besides: [first]))
        kill(late, SIGSTOP)
        #expect(fixture.gateway.count(of: "A worker took over") == 0)
        kill(first, SIGKILL)
        // Far sooner than a minute, after which the one that hangs is given up.
        #expect(await Self.isServed(fixture), "\(fixture.gateway.standardError)")
        #expect(await BearwardProcess.wait { !WorkerProcesses.isLiving(late) })
        kill(late, SIGCONT)
        #expect(fixture.gateway.count(of: "A worker that was still starting is ended: another is ready") == 1)
        #expect(workers.living.count == 1)
        #expect(await Self.isServed(fixture))
        // Upgrades go on.
        fixture.gateway.signal(SIGUSR2)
        #expect(await BearwardProcess.wait { fixture.gateway.count(of: "A worker took over") == 1 })
        #expect(await Self.isServed(fixture))
        await fixture.stop()
    }

    @Test
    func `F47 a successor that is not ready in time is killed, and an upgrade that was asked for meanwhile comes then`()
        async throws
    {
        let fixture = try await GatewayFixture.start(topLines: "timeouts: {drain: 1s, start: 5s, connect: 500ms}\n")
        let workers = WorkerProcesses(gateway: fixture.gateway)
        let first = try #require(workers.living.first)
        fixture.gateway.signal(SIGUSR2)
        let late = try #require(await workers.next(besides: [first]))
        kill(late, SIGSTOP)
        fixture.gateway.signal(SIGUSR2)
        #expect(await Self.isServed(fixture))
        #expect(
            await BearwardProcess.wait {
                fixture.gateway.count(of: "Upgrade failed; the worker that serves stays") == 1
            })
        let line = fixture.gateway.lines(of: "Upgrade failed; the worker that serves stays").first
        #expect(line?.contains("the new worker was not ready after 5500 ms and was killed") == true)
        #expect(
            await BearwardProcess.wait { fixture.gateway.count(of: "A worker took over") == 1 },
            "\(fixture.gateway.standardError)")
        #expect(!WorkerProcesses.isLiving(late))
        #expect(await Self.isServed(fixture))
        await fixture.stop()
    }

    @Test(.slow) func `F47 a worker that is stuck can be replaced, and is killed after its drain`() async throws {
        let fixture = try await GatewayFixture.start()
        let workers = WorkerProcesses(gateway: fixture.gateway)
        let stuck = try #require(workers.living.first)
        kill(stuck, SIGSTOP)
        fixture.gateway.signal(SIGUSR2)
        #expect(await Self.isServed(fixture), "\(fixture.gateway.standardError)")
        #expect(fixture.gateway.count(of: "A worker does not stop accepting; its successor begins") == 1)
        // A drain of a second, and ten more.
        #expect(await BearwardProcess.wait(atMost: .seconds(40)) { !WorkerProcesses.isLiving(stuck) })
        #expect(
            await BearwardProcess.wait { fixture.gateway.count(of: "A worker did not end in time and was killed") == 1 }
        )
        // The admin address was the stuck one's until then.
        #expect(await BearwardProcess.wait { fixture.gateway.count(of: "Administration") == 2 })
        #expect(await Self.isServed(fixture))
        await fixture.stop()
    }

    @Test(.slow) func `F47 told to end while its worker is stuck, it ends after the worker's drain`() async throws {
        let fixture = try await GatewayFixture.start()
        let stuck = try #require(WorkerProcesses(gateway: fixture.gateway).living.first)
        kill(stuck, SIGSTOP)
        fixture.gateway.signal(SIGTERM)
        #expect(await fixture.gateway.exitStatus() == 70)
        #expect(!WorkerProcesses.isLiving(stuck))
        await fixture.stop()
    }

    @Test func `F48 no reload and no log rotation during a worker's start ends it, whoever sends the signal`()
        async throws
    {
        let fixture = try await GatewayFixture.start()
        let workers = WorkerProcesses(gateway: fixture.gateway)
        var known = workers.living
        for turn in 1...10 {
            fixture.gateway.signal(SIGUSR2)
            let new = try #require(await workers.next(besides: known))
            // Early in its start, which takes some 40 ms in all.
            usleep(UInt32(turn) * 2_000)
            for signal in [SIGHUP, SIGUSR1] {
                if turn.isMultiple(of: 2) { fixture.gateway.signal(signal) } else { kill(new, signal) }
            }
            #expect(
                await BearwardProcess.wait { fixture.gateway.count(of: "A worker took over") == turn },
                "\(fixture.gateway.standardError)")
            known.append(new)
        }
        #expect(fixture.gateway.count(of: "Upgrade failed; the worker that serves stays") == 0)
        // What was asked for is done once the worker can: by each of the new ones, and for those of the supervisor by
        // its predecessor too.
        #expect(
            await BearwardProcess.wait { fixture.gateway.count(of: "Reloaded") >= 10 },
            "\(fixture.gateway.standardError)")
        #expect(await Self.isServed(fixture))
        await fixture.stop()
    }

    @Test func `F48 told to end during a worker's start, it ends in good order`() async throws {
        let issuer = try await GatewayFixture.start()
        for pause in [0, 10_000, 30_000] as [UInt32] {
            let gateway = try BearwardProcess(["serve", "--config", issuer.file.path])
            _ = try #require(await WorkerProcesses(gateway: gateway).next(besides: []))
            usleep(pause)
            gateway.signal(SIGTERM)
            #expect(await gateway.exitStatus() == 0)
        }
        await issuer.stop()
    }
}
