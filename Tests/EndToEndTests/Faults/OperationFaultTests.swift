import DevelopmentIssuer
import Foundation
import NIOHTTP1
import TestSupport
import Testing

/// Rotations, reloads and pauses at bad moments.
@Suite(.serialized) final class OperationFaultTests {
    @Test(.slow)
    func `F14 many rotations under load cause few fetches, no wrong verdict, and no effect on known keys`()
        async throws
    {
        let fixture = try await KeyLifeFixture.start()
        let known = try fixture.token()
        #expect(try await fixture.gateway.ask("/api/orders", token: known).status == 200)
        // The count includes the first fetch of all, since keys were already loaded.
        let before = fixture.fetches
        let isOver = StopSign()
        async let statuses = withThrowingTaskGroup(of: [String: Int].self) { group in
            for number in 0..<4 {
                group.addTask {
                    var statuses: [String: Int] = [:]
                    while !isOver.isRaised {
                        // Tokens of a key that may be half a second old, and of a key that is loaded.
                        let token = number.isMultiple(of: 2) ? try fixture.token() : known
                        let status = try await fixture.gateway.ask("/api/orders", token: token).status
                        statuses["\(number.isMultiple(of: 2) ? "fresh" : "known") \(status)", default: 0] += 1
                    }
                    return statuses
                }
            }
            return try await group.reduce(into: [:]) { all, some in all.merge(some, uniquingKeysWith: +) }
        }
        // Five fetches are saved up, a fetch that finds its key is returned to the budget, and the next comes after 15
        // seconds. That fetch would drop the first keys, since the issuer publishes only sixteen.
        let (end, saved) = (ContinuousClock.now + .seconds(12), 6)
        var rotations = 0
        while ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(120))
            _ = try fixture.issuer.rotate(.stayPublished)
            rotations += 1
        }
        isOver.raise()
        let answers = try await statuses
        #expect(answers["known 200"] ?? 0 > rotations)
        // No fetch is allowed for the newest keys, so their tokens come too early. Ten of them per client get 503.
        #expect(Set(answers.keys).isSubset(of: ["known 200", "fresh 200", "fresh 503", "fresh 401"]), "\(answers)")
        #expect(answers["fresh 503"] ?? 0 > 0)
        #expect(
            rotations > 3 * saved && fixture.fetches - before <= saved,
            "\(rotations) rotations, \(fixture.fetches - before) fetches")
        await fixture.stop()
    }

    @Test func `F32 a reload during the first key fetch does not wait for it, and leaves one key set`() async throws {
        let fixture = try await KeyLifeFixture.start()
        let slow = try await AuthorizationServer.start(algorithm: .es256)
        slow.fault(IssuerFault(of: [.jwks], delay: .seconds(3), answers: 1))
        let relay = try await CountingRelay.start(before: slow.issuer)
        let file = GatewayText.generic(slow.issuer, keys: relay.url("/jwks"), upstream: fixture.upstream.url)
        let served = try await ServedFile.start(file.text)
        let begin = ContinuousClock.now
        try await served.reload(file.text)
        var changed = file
        changed.topLines.append("limits: {body: 1MiB}")
        try await served.reload(changed.text)
        #expect(ContinuousClock.now - begin < .seconds(10))
        let token = try slow.mint(
            TokenRequest(client: "a", subject: "s", audiences: [GatewayText.audience], scopes: ["read"]))
        #expect(try await served.ask("/api/orders", token: token).status == 200)
        #expect(relay.count(of: "/jwks") == 1)
        await served.stop()
        await relay.stop()
        await slow.stop()
        await fixture.stop()
    }

    @Test func `F34 a gateway killed during a reload restarts with complete configuration and key sets`()
        async throws
    {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let state = folder.path("state")
        let fixture = try await KeyLifeFixture.start { $0.topLines = ["state_directory: \(state)"] }
        let token = try fixture.token()
        for turn in 0..<50 {
            let served = try await ServedFile.start(fixture.file.text)
            #expect(try await served.ask("/api/orders", token: token).status == 200, "after \(turn) kills")
            if turn % 10 == 0 { _ = try fixture.issuer.rotate(.stayPublished) }
            var file = fixture.file
            file.topLines.append("limits: {body: \(turn + 1)KiB}")
            try served.put(file.text)
            let worker = ProcessFigures(served.gateway).pid
            served.gateway.signal(SIGHUP)
            usleep(UInt32(turn) * 400)
            served.gateway.signal(SIGKILL)
            kill(worker, SIGKILL)
            _ = await served.gateway.exitStatus()
        }
        // No partially written file stays.
        let names = try FileManager.default.contentsOfDirectory(atPath: state)
        #expect(names.count <= 17, "\(names)")
        await fixture.stop()
    }

    @Test(
        .enabled(if: !ProcessFigures.isSanitized, "a sanitizer takes all address space"),
        .enabled(if: FileDescriptorLimit.raise(to: 10_000), "too few descriptors are allowed"))
    func `F38 a gateway short of memory refuses requests, stays alive, and recovers`() async throws {
        let upstream = try await LoopbackServer.upstream()
        let text = """
            listen: 127.0.0.1:0
            admin: 127.0.0.1:0
            event_loops: 1
            issuers: {}
            resources: {open: {at: [/], upstream: "\(upstream.url)", rules: {GET /**: {public: true}}}}
            """
        // A thread that allocates for the first time maps 64 MiB or more for its arena, independently of clients.
        let environment = ["MALLOC_ARENA_MAX": "1"]
        let measured = try await ServedFile.start(text, environment: environment)
        let limit = (ProcessFigures(measured.gateway).virtualKiB + 160 * 1024) * 1024
        await measured.stop()
        let served = try await ServedFile.start(
            text, environment: environment, launcher: ["/usr/bin/prlimit", "--as=\(limit)"])
        let figures = ProcessFigures(served.gateway)
        #expect(try await served.ask("/x", token: nil).status == 200)
        // Incomplete heads keep their bytes in memory.
        let part = Array(
            ("GET /x HTTP/1.1\r\nHost: a\r\n"
                + (0..<4).map { "X-\($0): \(String(repeating: "x", count: 7800))\r\n" }.joined()).utf8)
        var clients: [RawConnection] = []
        var refusal: GatewayFixture.Answer?
        while clients.count < 8000, refusal == nil {
            for _ in 0..<50 {
                let client = try RawConnection(port: served.port)
                client.send(part)
                clients.append(client)
            }
            try await Task.sleep(for: .milliseconds(100))
            let answer = try await served.ask("/x", token: nil)
            if answer.status != 200 { refusal = answer }
        }
        #expect(refusal?.status == 503)
        #expect(refusal?.fields["Retry-After"] == ["1"])
        #expect(served.gateway.standardError.contains("Memory is short"))
        #expect(refusal?.fields["Connection"] == ["close"])
        let readiness = try await served.administration("/readyz")
        #expect(readiness.status == 503 && readiness.body.contains("short_of_memory"))
        clients.removeAll()
        #expect(await BearwardProcess.wait { (try? await served.ask("/x", token: nil).status) == 200 })
        #expect(
            ProcessFigures(served.gateway).pid == figures.pid,
            "the worker died: \(served.gateway.standardError.suffix(500))")
        #expect(served.logged("overloaded") > 0)
        await served.stop()
        await upstream.stop()
    }

    @Test(.slow) func `F39 a gateway stopped while a token expires refuses the token when it resumes`() async throws {
        let lab = try await ThreatLab.start()
        let figures = ProcessFigures(lab.served.gateway)
        let soon = lab.tokens.signed(
            lab.tokens.good.with("iat", nil).with("exp", "\(Int(Date().timeIntervalSince1970) - 57)"))
        #expect(
            try lab.ask("GET /orders HTTP/1.1", ["Authorization: Bearer \(soon)"]).response.hasPrefix("HTTP/1.1 200 "))
        kill(figures.pid, SIGSTOP)
        // `kill` returns before every thread has stopped.
        #expect(await BearwardProcess.wait { figures.threadStates.allSatisfy { $0 == "T" } })
        let waiting = try RawConnection(port: lab.served.port)
        waiting.send(Array("GET /orders HTTP/1.1\r\nHost: lab.example\r\nAuthorization: Bearer \(soon)\r\n\r\n".utf8))
        try await Task.sleep(for: .seconds(5))
        kill(figures.pid, SIGCONT)
        waiting.receive { _ in !waiting.statuses.isEmpty }
        #expect(waiting.statuses == [401])
        #expect(try lab.ask("GET /orders HTTP/1.1", ["Authorization: Bearer GOOD"]).response.hasPrefix("HTTP/1.1 200 "))
        #expect(ProcessFigures(lab.served.gateway).pid == figures.pid, "nobody took it for dead")
        await lab.stop()
    }
}
