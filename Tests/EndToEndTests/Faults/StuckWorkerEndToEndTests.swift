import AsyncHTTPClient
import DevelopmentIssuer
import Foundation
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

/// Workers that hang at their start, at work and at their exit: real processes, stopped with SIGSTOP.
@Suite(.serialized) final class StuckWorkerEndToEndTests {
    /// Repeats a request until it succeeds, each time on a new connection, since a connection to a stuck worker is
    /// never answered.
    private static func isServed(_ fixture: GatewayFixture, within limit: Duration = .seconds(30)) async -> Bool {
        await BearwardProcess.wait(atMost: limit) { await ask(fixture.port) == 200 }
    }

    private static func ask(_ port: Int) async -> Int? {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/api/status")
        request.headers.add(name: "Connection", value: "close")
        return (try? await HTTPClient.shared.execute(request, timeout: .seconds(2))).map { Int($0.status.code) }
    }

    @Test
    func `F47 if an upgrade hangs and the serving worker crashes, a new worker serves at once, and the late one never`()
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
        // Well before the minute after which the hanging worker is killed.
        #expect(await Self.isServed(fixture), "\(fixture.gateway.standardError)")
        #expect(await BearwardProcess.wait { !WorkerProcesses.isLiving(late) })
        kill(late, SIGCONT)
        #expect(fixture.gateway.count(of: "A worker that was still starting is stopped: another is ready") == 1)
        #expect(workers.living.count == 1)
        #expect(await Self.isServed(fixture))
        // Upgrades still work.
        fixture.gateway.signal(SIGUSR2)
        #expect(await BearwardProcess.wait { fixture.gateway.count(of: "A worker took over") == 1 })
        #expect(await Self.isServed(fixture))
        await fixture.stop()
    }

    @Test
    func `F47 a successor that is not ready in time is killed, and a pending upgrade follows`()
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
                fixture.gateway.count(of: "Upgrade failed; the present worker continues to serve") == 1
            })
        let line = fixture.gateway.lines(of: "Upgrade failed; the present worker continues to serve").first
        #expect(line?.contains("the new worker was not ready after 5500 ms and was killed") == true)
        #expect(
            await BearwardProcess.wait { fixture.gateway.count(of: "A worker took over") == 1 },
            "\(fixture.gateway.standardError)")
        #expect(!WorkerProcesses.isLiving(late))
        #expect(await Self.isServed(fixture))
        await fixture.stop()
    }

    @Test(.slow) func `F47 a stuck worker can be replaced, and is killed after its drain`() async throws {
        let fixture = try await GatewayFixture.start()
        let workers = WorkerProcesses(gateway: fixture.gateway)
        let stuck = try #require(workers.living.first)
        kill(stuck, SIGSTOP)
        fixture.gateway.signal(SIGUSR2)
        #expect(await Self.isServed(fixture), "\(fixture.gateway.standardError)")
        #expect(fixture.gateway.count(of: "A worker does not stop accepting; its successor accepts anyway") == 1)
        // One second of drain plus ten more.
        #expect(await BearwardProcess.wait(atMost: .seconds(40)) { !WorkerProcesses.isLiving(stuck) })
        #expect(
            await BearwardProcess.wait { fixture.gateway.count(of: "A worker did not end in time and was killed") == 1 }
        )
        // The stuck worker held the admin address until then.
        #expect(await BearwardProcess.wait { fixture.gateway.count(of: "Admin listener ready") == 2 })
        #expect(await Self.isServed(fixture))
        await fixture.stop()
    }

    @Test(.slow) func `F47 a gateway told to exit while its worker is stuck exits after the worker's drain`()
        async throws
    {
        let fixture = try await GatewayFixture.start()
        let stuck = try #require(WorkerProcesses(gateway: fixture.gateway).living.first)
        kill(stuck, SIGSTOP)
        fixture.gateway.signal(SIGTERM)
        #expect(await fixture.gateway.exitStatus() == 70)
        #expect(!WorkerProcesses.isLiving(stuck))
        await fixture.stop()
    }

    @Test func `F48 a reload or log rotation signal during a worker's start does not end the worker`()
        async throws
    {
        let fixture = try await GatewayFixture.start()
        let workers = WorkerProcesses(gateway: fixture.gateway)
        var known = workers.living
        for turn in 1...10 {
            fixture.gateway.signal(SIGUSR2)
            let new = try #require(await workers.next(besides: known))
            // Early in the worker's start, which takes about 40 ms.
            usleep(UInt32(turn) * 2_000)
            for signal in [SIGHUP, SIGUSR1] {
                if turn.isMultiple(of: 2) { fixture.gateway.signal(signal) } else { kill(new, signal) }
            }
            #expect(
                await BearwardProcess.wait { fixture.gateway.count(of: "A worker took over") == turn },
                "\(fixture.gateway.standardError)")
            known.append(new)
        }
        #expect(fixture.gateway.count(of: "Upgrade failed; the present worker continues to serve") == 0)
        // A requested reload happens once the worker is able to: in each new worker, and after a signal to the
        // supervisor also in its predecessor.
        #expect(
            await BearwardProcess.wait { fixture.gateway.count(of: "Reloaded") >= 10 },
            "\(fixture.gateway.standardError)")
        #expect(await Self.isServed(fixture))
        await fixture.stop()
    }

    @Test func `F48 a gateway told to exit during a worker's start exits cleanly`() async throws {
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
