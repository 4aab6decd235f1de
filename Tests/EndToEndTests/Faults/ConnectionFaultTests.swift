import Foundation
import TestSupport
import Testing

/// Many clients, and clients that misbehave, against the real gateway.
@Suite(.serialized) final class ConnectionFaultTests {
    @Test func `T393, F28 two thousand idle connections keep nobody else waiting`() async throws {
        let lab = try await ThreatLab.start()
        let figures = ProcessFigures(lab.served.gateway)
        _ = try lab.ask("GET /public/x HTTP/1.1", [])
        let before = figures.residentKiB
        var idle: [RawConnection] = []
        for _ in 0..<2000 { idle.append(try RawConnection(port: lab.served.port)) }
        for _ in 0..<50 { #expect(try lab.ask("GET /public/x HTTP/1.1", []).response.hasPrefix("HTTP/1.1 200 ")) }
        #expect(figures.residentKiB - before < 2000 * 16, "more than 16 KiB for a connection")
        idle.removeAll()
        #expect(await BearwardProcess.wait { figures.descriptors < 100 })
        await lab.stop()
    }

    @Test func `T403, F29 connections that are reset give their descriptors back`() async throws {
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
        #expect(await BearwardProcess.wait { abs(figures.descriptors - before) <= 5 }, "\(before), then \(figures.descriptors)")
        #expect(try lab.ask("GET /public/x HTTP/1.1", []).response.hasPrefix("HTTP/1.1 200 "))
        await lab.stop()
    }

    @Test func `F37 without descriptors it stops accepting, wastes no time, and goes on when there are some`() async throws {
        let lab = try await ThreatLab.start()
        let figures = ProcessFigures(lab.served.gateway)
        _ = try lab.ask("GET /public/x HTTP/1.1", [])
        let limit = "--nofile=\(figures.descriptors + 24):4096"
        let prlimit = try BearwardProcess(program: URL(fileURLWithPath: "/usr/bin/prlimit"), ["--pid", "\(figures.pid)", limit])
        #expect(await prlimit.exitStatus() == 0)
        var waiting: [RawConnection] = []
        for _ in 0..<200 { waiting.append(try RawConnection(port: lab.served.port)) }
        #expect(await BearwardProcess.wait { lab.served.gateway.standardError.contains("A connection cannot be accepted") })
        let before = figures.cpuSeconds
        try await Task.sleep(for: .seconds(2))
        #expect(figures.cpuSeconds - before < 0.4, "a busy loop")
        waiting.removeAll()
        #expect(
            await BearwardProcess.wait {
                (try? lab.ask("GET /public/x HTTP/1.1", []).response.hasPrefix("HTTP/1.1 200 ")) == true
            })
        // Once in ten seconds, however many connections wait.
        #expect(lab.served.gateway.standardError.components(separatedBy: "A connection cannot be accepted").count <= 6)
        await lab.stop()
    }

    @Test func `F43, T434 time zone, locale, umask and missing streams change no verdict`() async throws {
        let lab = try await ThreatLab.start(environment: ["TZ": "Asia/Kathmandu", "LC_ALL": "tr_TR.UTF-8", "LANG": "de_DE.UTF-8"])
        #expect(try lab.ask("GET /orders HTTP/1.1", ["Authorization: Bearer GOOD"]).response.hasPrefix("HTTP/1.1 200 "))
        let expired = lab.tokens.signed(lab.tokens.good.with("iat", nil).with("exp", "\(lab.tokens.now - 61)"))
        #expect(try lab.ask("GET /orders HTTP/1.1", ["Authorization: Bearer \(expired)"]).response.contains("The access token expired"))
        await lab.stop()
    }

    @Test func `T430 signals that mean nothing to it end nothing`() async throws {
        let lab = try await ThreatLab.start()
        for signal in [SIGPIPE, SIGUSR1, SIGCHLD, SIGWINCH, SIGURG] {
            for _ in 0..<20 { lab.served.gateway.signal(signal) }
        }
        #expect(try lab.ask("GET /public/x HTTP/1.1", []).response.hasPrefix("HTTP/1.1 200 "))
        #expect(lab.served.gateway.process.isRunning)
        await lab.stop()
    }

    @Test func `T433 no variable of the environment weakens anything`() async throws {
        let lab = try await ThreatLab.start(environment: [
            "BEARWARD_INSECURE": "1", "BEARWARD_ALLOW_ALL": "1", "OPENSSL_CONF": "/nonexistent",
        ])
        #expect(try lab.ask("GET /orders HTTP/1.1", []).response.hasPrefix("HTTP/1.1 401 "))
        let forged = lab.tokens.good.signed(by: ThreatTokens.other)
        #expect(try lab.ask("GET /orders HTTP/1.1", ["Authorization: Bearer \(forged)"]).response.hasPrefix("HTTP/1.1 401 "))
        await lab.stop()
    }
}
