import Foundation
import NIOCore
import TestSupport
import Testing

/// Many clients, and misbehaving clients, against the real gateway.
@Suite(.serialized) final class ConnectionFaultTests {
    private static let idleCount = 10_000

    /// Needs descriptors in this process and in the gateway, which inherits the limit.
    @Test(
        .slow,
        .enabled(
            if: FileDescriptorLimit.raise(to: ConnectionFaultTests.idleCount + 2000), "too few descriptors are allowed")
    )
    func `T393, F28 ten thousand idle connections cost at most 16 KiB each, and a thousand new ones are served`()
        async throws
    {
        let count = Self.idleCount
        let lab = try await ThreatLab.start { "limits: {connections: \(count + 1100)}\n" + $0 }
        let figures = ProcessFigures(lab.served.gateway)
        _ = try lab.ask("GET /public/x HTTP/1.1", [])
        let before = figures.residentKiB
        let request = Array("GET /status HTTP/1.1\r\nHost: lab.example\r\n\r\n".utf8)
        var idle: [RawConnection] = []
        for _ in 0..<count {
            let connection = try RawConnection(port: lab.served.port)
            connection.send(request)
            connection.receive { _ in connection.statuses == [200] }
            idle.append(connection)
        }
        #expect(idle.allSatisfy { $0.statuses == [200] })
        var more = try (0..<1000).map { _ in try RawConnection(port: lab.served.port) }
        for connection in more {
            connection.send(request)
            connection.receive { _ in connection.statuses == [200] }
            #expect(connection.statuses == [200])
        }
        #expect(figures.residentKiB - before < (count + more.count) * 16, "more than 16 KiB for a connection")
        idle.removeAll()
        more.removeAll()
        #expect(await BearwardProcess.wait { figures.descriptors < 100 })
        await lab.stop()
    }

    @Test(.slow, arguments: [false, true])
    func `T499 pipelined requests wait while their answers are not read, and are then all answered`(
        isAtDoor: Bool
    ) async throws {
        let door = try FreePort.find()
        let lab = try await ThreatLab.start {
            "doors: {kind: nginx, address: \"127.0.0.1:\(door)\", from: [127.0.0.1/32]}\n" + $0
        }
        let figures = ProcessFigures(lab.served.gateway)
        let stated =
            "X-Original-Method: GET\r\nX-Original-URI: /office\r\nX-Original-Host: lab.example\r\nX-Original-Proto: https\r\n"
        let filling = "X-Filling: \(String(repeating: "a", count: 1000))\r\n"
        let request = Array("GET /office HTTP/1.1\r\nHost: lab.example\r\n\(isAtDoor ? stated : "")\(filling)\r\n".utf8)
        let connection = try RawConnection(port: isAtDoor ? door : lab.served.port)
        connection.send(request)
        connection.receive { $0.contains("\r\n\r\n") && ($0.hasSuffix("}") || isAtDoor) }
        // All answers have the same length.
        let answerLength = connection.received.count
        connection.forgetReceived()

        let before = figures.residentKiB
        let (most, block) = (64 << 20, Array(repeatElement(request, count: 64).joined()))
        var (sent, lastSent) = (0, ContinuousClock.now)
        // The buffers of the gateway and of the system are finite.
        while sent < most, ContinuousClock.now - lastSent < .seconds(2) {
            let taken = connection.sendSome(Array(block[(sent % block.count)...]))
            sent += taken
            if taken > 0 { lastSent = ContinuousClock.now }
            if taken == 0 { try await Task.sleep(for: .milliseconds(5)) }
        }
        #expect(sent < most, "whatever is sent is answered")
        #expect(
            figures.residentKiB - before < 16 * 1024, "\((figures.residentKiB - before)) KiB more for one connection")

        let whole = sent / request.count
        connection.receiveBytes(atMost: .seconds(60)) { $0.count >= whole * answerLength }
        #expect(connection.received.count == whole * answerLength)
        await lab.stop()
    }

    @Test func `T403, F29 connections that are reset release their descriptors`() async throws {
        let lab = try await ThreatLab.start()
        let figures = ProcessFigures(lab.served.gateway)
        _ = try lab.ask("GET /public/x HTTP/1.1", [])
        let before = figures.descriptors
        for _ in 0..<5 {
            var connections: [RawConnection] = []
            for _ in 0..<400 {
                let connection = try RawConnection(port: lab.served.port)
                connection.send(Array("GET /public/x HTTP/1.1\r\nHost: lab.exam".utf8))
                connection.resetsWhenClosed()
                connections.append(connection)
            }
            connections.removeAll()
        }
        #expect(
            await BearwardProcess.wait { abs(figures.descriptors - before) <= 5 },
            "\(before), then \(figures.descriptors)")
        #expect(try lab.ask("GET /public/x HTTP/1.1", []).response.hasPrefix("HTTP/1.1 200 "))
        await lab.stop()
    }

    /// The write of the answer fails, and the gateway then reads the rest of the socket before it closes: the beginning
    /// of another request.
    @Test func `a client that disconnects before its failed request is answered leaves no request in flight`()
        async throws
    {
        let failure = StopSign()
        let upstream = try await LoopbackServer.start { _ in
            _ = await BearwardProcess.wait { failure.isRaised }
            throw CancellationError()
        }
        let served = try await ServedFile.start(
            """
            listen: 127.0.0.1:0
            admin: 127.0.0.1:0
            event_loops: 1
            issuers:
              iss: {issuer: "https://iss.example", jwks_uri: "http://127.0.0.1:1/jwks", token_type: at+jwt}
            resources:
              public: {audiences: [public], at: [/], issuers: [iss], upstream: "\(upstream.url)", rules: {ANY /**: {public: true}}}
            """)
        let worker = ProcessFigures(served.gateway).pid
        var client: RawConnection? = try RawConnection(port: served.port)
        client?.send(Array("POST /first HTTP/1.1\r\nHost: a.example\r\nContent-Length: 2\r\n\r\n{}".utf8))
        #expect(await BearwardProcess.wait { upstream.count(of: "/first") == 1 })
        // While the worker is stopped, first the upstream closes its connection and then the client disconnects.
        kill(worker, SIGSTOP)
        let upstreamPort = try #require(upstream.url.split(separator: ":").last.flatMap { UInt16($0) })
        #expect(Self.isConnected(toPort: upstreamPort))
        failure.raise()
        #expect(await BearwardProcess.wait { !Self.isConnected(toPort: upstreamPort) })
        client?.send(Array("POST /second HTTP/1.1\r\nHost: a.example\r\nContent-Length: 2\r\n\r\n".utf8))
        client?.resetsWhenClosed()
        client = nil
        kill(worker, SIGCONT)
        var metrics = ""
        let isAtRest = try await BearwardProcess.wait {
            metrics = try await served.administration("/metrics").body
            return metrics.contains("\nbearward_connections 0\n")
                && metrics.contains("\nbearward_requests_in_flight 0\n")
        }
        #expect(isAtRest, "\(metrics.split(separator: "\n").filter { $0.contains("_in_flight ") })")
        #expect(await served.logHas(lines: 1))
        #expect(served.gateway.standardOutput.contains(#""path":"/first""#), "\(served.gateway.standardOutput)")
        await served.stop()
        await upstream.stop()
    }

    /// True if there is a connection to that port that neither side has closed (state 01, ESTABLISHED, in `proc(5)`).
    private static func isConnected(toPort port: UInt16) -> Bool {
        // The kernel delivers the file page by page, and all of it is needed.
        let bytes = (try? FileHandle(forReadingAtPath: "/proc/net/tcp")?.readToEnd()) ?? Data()
        let table = String(decoding: bytes, as: UTF8.self)
        let peer = String(format: ":%04X", port)
        return table.split(separator: "\n").contains { line in
            let columns = line.split(separator: " ")
            return columns.count > 3 && columns[2].hasSuffix(peer) && columns[3] == "01"
        }
    }

    @Test func `F37 without descriptors the gateway stops accepting, wastes no CPU, and resumes when some are free`()
        async throws
    {
        let lab = try await ThreatLab.start()
        let figures = ProcessFigures(lab.served.gateway)
        _ = try lab.ask("GET /public/x HTTP/1.1", [])
        let limit = "--nofile=\(figures.descriptors + 24):4096"
        let prlimit = try BearwardProcess(
            program: URL(fileURLWithPath: "/usr/bin/prlimit"), ["--pid", "\(figures.pid)", limit])
        #expect(await prlimit.exitStatus() == 0)
        var waiting: [RawConnection] = []
        for _ in 0..<200 { waiting.append(try RawConnection(port: lab.served.port)) }
        #expect(
            await BearwardProcess.wait { lab.served.gateway.standardError.contains("A connection cannot be accepted") })
        #expect(try await figures.processorShare(over: .seconds(2)) < 0.3, "a busy loop")
        waiting.removeAll()
        #expect(
            await BearwardProcess.wait {
                (try? lab.ask("GET /public/x HTTP/1.1", []).response.hasPrefix("HTTP/1.1 200 ")) == true
            })
        // Logged once in ten seconds, however many connections wait.
        #expect(lab.served.gateway.standardError.components(separatedBy: "A connection cannot be accepted").count <= 6)
        await lab.stop()
    }

    @Test
    func `F43, T434 missing standard streams and an open umask change no verdict, and no log enters a connection`()
        async throws
    {
        let spare = try await LoopbackServer.start { _ in LoopbackReply(body: ByteBuffer(string: "ok")) }
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let (file, port) = (folder.url.appendingPathComponent("bearward.yaml"), try FreePort.find())
        try """
        listen: 127.0.0.1:\(port)
        issuers: {}
        resources: {open: {at: [/], upstream: "\(spare.url)", rules: {GET /open: {public: true}}}}
        """.write(to: file, atomically: true, encoding: .utf8)
        let program = BearwardProcess.directory.appendingPathComponent("bearward").path
        let gateway = try BearwardProcess(
            program: URL(fileURLWithPath: "/bin/sh"),
            ["-c", #"umask 0; exec "$0" serve --config "$1" <&- >&- 2>&-"#, program, file.path])
        for (path, status) in [("/open", 200), ("/closed", 403), ("/open", 200)] {
            var statuses: [Int] = []
            #expect(
                await BearwardProcess.wait {
                    guard let connection = try? RawConnection(port: port) else { return false }
                    connection.send(Array("GET \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".utf8))
                    connection.receive { _ in false }
                    statuses = connection.statuses
                    return connection.text.hasPrefix("HTTP/1.1 ") && !connection.text.contains("duration_us")
                })
            #expect(statuses == [status])
        }
        gateway.signal(SIGTERM)
        #expect(await gateway.exitStatus() == 0)
        await spare.stop()
    }

    @Test func `F43, T434 time zone and locale do not change verdicts`() async throws {
        let lab = try await ThreatLab.start(environment: [
            "TZ": "Asia/Kathmandu", "LC_ALL": "tr_TR.UTF-8", "LANG": "de_DE.UTF-8",
        ])
        #expect(try lab.ask("GET /orders HTTP/1.1", ["Authorization: Bearer GOOD"]).response.hasPrefix("HTTP/1.1 200 "))
        let expired = lab.tokens.signed(lab.tokens.good.with("iat", nil).with("exp", "\(lab.tokens.now - 61)"))
        #expect(
            try lab.ask("GET /orders HTTP/1.1", ["Authorization: Bearer \(expired)"]).response.contains(
                "The access token expired"))
        await lab.stop()
    }

    @Test func `T432 a gateway that runs as root logs a warning, and never changes its user`() async throws {
        let lab = try await ThreatLab.start()
        #expect(lab.served.gateway.standardError.contains("Running as root") == (geteuid() == 0))
        let owner = { (pid: Int32) in
            try FileManager.default.attributesOfItem(atPath: "/proc/\(pid)")[.ownerAccountID] as? NSNumber
        }
        #expect(
            try owner(ProcessFigures(lab.served.gateway).pid) == owner(lab.served.gateway.process.processIdentifier))
        await lab.stop()
    }

    @Test func `T430 signals that do not ask for an exit leave the gateway running`() async throws {
        let lab = try await ThreatLab.start()
        for signal in [SIGPIPE, SIGUSR1, SIGCHLD, SIGWINCH, SIGURG] {
            for _ in 0..<20 { lab.served.gateway.signal(signal) }
        }
        #expect(try lab.ask("GET /public/x HTTP/1.1", []).response.hasPrefix("HTTP/1.1 200 "))
        #expect(lab.served.gateway.process.isRunning)
        await lab.stop()
    }

    @Test func `T433 no environment variable weakens a check`() async throws {
        let lab = try await ThreatLab.start(environment: [
            "BEARWARD_INSECURE": "1", "BEARWARD_ALLOW_ALL": "1", "OPENSSL_CONF": "/nonexistent",
        ])
        #expect(try lab.ask("GET /orders HTTP/1.1", []).response.hasPrefix("HTTP/1.1 401 "))
        let forged = lab.tokens.good.signed(by: ThreatTokens.other)
        #expect(
            try lab.ask("GET /orders HTTP/1.1", ["Authorization: Bearer \(forged)"]).response.hasPrefix("HTTP/1.1 401 ")
        )
        await lab.stop()
    }
}
