import DevelopmentIssuer
import Foundation
import Testing

/// The supervisor and its worker, with real signals.
@Suite(.serialized) final class SupervisionEndToEndTests {
    /// Number of concurrent clients.
    private static let clients = 4

    /// Sends requests until told to stop, and keeps all answers that are not 200.
    private static func underLoad(
        _ fixture: GatewayFixture, _ token: String, _ work: @escaping @Sendable () async throws -> Void
    ) async throws -> (good: Int, refusedConnections: Int, bad: [String]) {
        let isOver = StopSign()
        return try await withThrowingTaskGroup(of: (Int, Int, [String]).self) { group in
            for _ in 0..<clients {
                group.addTask {
                    await onThread {
                        var (good, refused, bad): (Int, Int, [String]) = (0, 0, [])
                        let request =
                            "GET /api/orders HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\nConnection: close\r\n\r\n"
                        while !isOver.isRaised {
                            guard let connection = try? RawConnection(port: fixture.port) else {
                                refused += 1
                                continue
                            }
                            connection.send(Array(request.utf8))
                            connection.receive { _ in false }
                            if connection.statuses == [200] {
                                good += 1
                            } else {
                                bad.append(String(connection.text.prefix(200)))
                            }
                        }
                        return (good, refused, bad)
                    }
                }
            }
            group.addTask {
                try await work()
                isOver.raise()
                return (0, 0, [])
            }
            return try await group.reduce(into: (0, 0, [])) { $0 = ($0.0 + $1.0, $0.1 + $1.1, $0.2 + $1.2) }
        }
    }

    private static func worker(of gateway: BearwardProcess) -> Int32? {
        let pid = gateway.process.processIdentifier
        let children = try? String(contentsOfFile: "/proc/\(pid)/task/\(pid)/children", encoding: .utf8)
        return children?.split(separator: " ").first.flatMap { Int32($0) }
    }

    @Test func `the supervisor has one thread and one child`() async throws {
        let fixture = try await GatewayFixture.start()
        let pid = fixture.gateway.process.processIdentifier
        #expect(try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task").count == 1)
        #expect(Self.worker(of: fixture.gateway) != nil)
        await fixture.stop()
    }

    @Test(arguments: [SIGKILL, SIGSEGV]) func `F33 a worker that crashes is replaced, and no connection is refused`(
        _ signal: Int32
    )
        async throws
    {
        let fixture = try await GatewayFixture.start()
        let token = try fixture.token()
        #expect(try await fixture.get("/api/orders", token: token).status == 200)
        // The keys survive the worker, although the issuer is gone.
        await fixture.issuer.stop()
        let outcome = try await Self.underLoad(fixture, token) {
            for _ in 0..<3 {
                let worker = try #require(Self.worker(of: fixture.gateway))
                kill(worker, signal)
                let replaced = await BearwardProcess.wait {
                    Self.worker(of: fixture.gateway).map { $0 != worker } == true
                }
                #expect(replaced)
                try await Task.sleep(for: .seconds(1))
            }
        }
        #expect(outcome.good > 0)
        #expect(outcome.refusedConnections == 0)
        // A request in progress is cut off without an answer, and never gets a wrong one.
        #expect(outcome.bad.allSatisfy { $0.isEmpty }, "\(outcome.bad.filter { !$0.isEmpty })")
        // Each client has one request in progress at each crash.
        #expect(outcome.bad.count <= 3 * Self.clients)
        #expect(
            fixture.gateway.lines(of: "A worker ended; starting another").contains {
                $0.contains("it was killed by signal \(signal)")
            })
        await fixture.stop()
    }

    @Test func `an upgrade costs no request, and the admin address goes to the new worker`() async throws {
        let fixture = try await GatewayFixture.start()
        let token = try fixture.token()
        let first = try #require(Self.worker(of: fixture.gateway))
        let outcome = try await Self.underLoad(fixture, token) {
            for turn in 1...3 {
                fixture.gateway.signal(SIGUSR2)
                #expect(
                    await BearwardProcess.wait { fixture.gateway.count(of: "A worker took over") == turn },
                    "\(fixture.gateway.standardError)")
                try await Task.sleep(for: .milliseconds(300))
            }
        }
        #expect(outcome.good > 0)
        #expect(outcome.refusedConnections == 0)
        #expect(outcome.bad.isEmpty, "\(outcome.bad)")
        #expect(await BearwardProcess.wait { Self.worker(of: fixture.gateway).map { $0 != first } == true })
        // The admin address has any free port here, so the new worker has another port.
        #expect(
            await BearwardProcess.wait {
                guard fixture.gateway.count(of: "Admin listener ready") > 1,
                    let port = fixture.gateway.port(of: "Admin listener ready")
                else { return false }
                return (try? await fixture.get("/readyz", port: port).status) == 200
            })
        await fixture.stop()
    }

    @Test func `T431 a gateway told to exit under load first becomes unready, loses no request, and exits with 0`()
        async throws
    {
        let fixture = try await GatewayFixture.start(topLines: "timeouts: {drain_delay: 3s}\n")
        let token = try fixture.token()
        // A load balancer reads /readyz, and stops sending requests soon after a 503.
        let outcome = try await Self.underLoad(fixture, token) {
            try await Task.sleep(for: .seconds(1))
            fixture.gateway.signal(SIGTERM)
            #expect(
                await BearwardProcess.wait {
                    (try? await fixture.get("/readyz", port: fixture.adminPort).status) == 503
                })
            try await Task.sleep(for: .seconds(1))
        }
        #expect(outcome.good > 0)
        #expect(outcome.refusedConnections == 0)
        #expect(outcome.bad.isEmpty, "\(outcome.bad)")
        #expect(await fixture.gateway.exitStatus() == 0)
        await fixture.stop()
    }

    @Test func `a worker whose supervisor is killed exits`() async throws {
        let fixture = try await GatewayFixture.start()
        let worker = try #require(Self.worker(of: fixture.gateway))
        fixture.gateway.signal(SIGKILL)
        #expect(await BearwardProcess.wait(atMost: .seconds(40)) { kill(worker, 0) != 0 })
        await fixture.stop()
    }

    @Test func `an error at the start is reported once and exits`() async throws {
        let fixture = try await GatewayFixture.start()
        // The admin address is taken, which only the worker detects.
        let text = GatewayFixture.text(issuer: fixture.issuer.issuer, upstream: fixture.shop.url)
            .replacing("admin: 127.0.0.1:0", with: "admin: 127.0.0.1:\(fixture.adminPort)")
        let file = fixture.directory.appendingPathComponent("taken.yaml")
        try text.write(to: file, atomically: true, encoding: .utf8)
        let second = try BearwardProcess(["serve", "--config", file.path])
        #expect(await second.exitStatus() == 69)
        #expect(second.standardError.contains("127.0.0.1:\(fixture.adminPort)"))
        await fixture.stop()
    }
}
