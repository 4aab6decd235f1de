import Foundation
import TestSupport
import Testing

/// Effects of passing time and of clock jumps on tokens and connections.
@Suite(.serialized) final class ThreatTimeTests {
    private static let bearer = "Authorization: Bearer "
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(.slow) func `T150 an expired token is refused at the next request, and a request in progress completes`()
        async throws
    {
        let lab = try await ThreatLab.start()
        // The leeway is a minute.
        let soon = lab.tokens.signed(
            lab.tokens.good.with("iat", nil).with("exp", "\(Int(Date().timeIntervalSince1970) - 57)"))
        let head = "POST /orders HTTP/1.1\r\nHost: lab.example\r\n\(Self.bearer)\(soon)\r\n"
        let kept = try RawConnection(port: lab.served.port)
        let request = Array((head + "Content-Length: 0\r\n\r\n").utf8)
        kept.send(request)
        kept.receive { _ in kept.statuses == [200] }
        #expect(kept.statuses == [200])
        let upload = try RawConnection(port: lab.served.port)
        upload.send(Array((head + "Content-Length: 6\r\n\r\n").utf8))
        for _ in 0..<6 {
            upload.send([UInt8(ascii: "x")])
            try await Task.sleep(for: .seconds(1))
        }
        upload.receive { _ in upload.statuses.count == 1 }
        #expect(upload.statuses == [200])
        kept.send(request)
        kept.receive { _ in kept.statuses.count == 2 }
        #expect(kept.statuses == [200, 401])
        #expect(kept.text.contains("The access token expired"))
        await lab.stop()
    }

    // MARK: A clock that jumps

    private static let fakeTime: String? = {
        let root = "/usr/lib"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        return names.map { "\(root)/\($0)/faketime/libfaketimeMT.so.1" }.first {
            FileManager.default.fileExists(atPath: $0)
        }
    }()

    /// The faketime library sets a variable in the first process it is loaded into, which hides a Swift program's
    /// arguments. So another program is first.
    private static let launcher = "/usr/bin/env"

    /// Environment for a gateway whose wall clock is set by a file; its monotonic clock is unchanged.
    private static func environment(_ clock: URL) -> [String: String]? {
        fakeTime.map {
            [
                "LD_PRELOAD": $0, "FAKETIME_TIMESTAMP_FILE": clock.path, "FAKETIME_NO_CACHE": "1",
                "FAKETIME_DONT_FAKE_MONOTONIC": "1",
                "DONT_FAKE_MONOTONIC": "1",
            ]
        }
    }

    @Test(.slow, .enabled(if: ThreatTimeTests.fakeTime != nil, "libfaketime is not installed"))
    func `T151, F40, F41 the wall clock decides only the validity of tokens, and no timeout`() async throws {
        let clock = try folder.write("+0\n", to: "clock")
        let environment = try #require(Self.environment(clock))
        let lab = try await ThreatLab.start(environment: environment, launcher: [Self.launcher])
        let figures = ProcessFigures(lab.served.gateway)
        let bystander = try RawConnection(port: lab.served.port)
        let request = Array("GET /public/x HTTP/1.1\r\nHost: lab.example\r\n\r\n".utf8)
        for (index, (step, status)) in [
            ("+0", 200), ("-1h", 401), ("+0", 200), ("+50m", 200), ("+62m", 401), ("@2026-11-02 00:00:00", 401),
            ("+30y", 401), ("+0", 200),
        ].enumerated() {
            try (step + "\n").write(to: clock, atomically: false, encoding: .utf8)
            // The gateway reads the wall clock four times a second.
            try await Task.sleep(for: .milliseconds(500))
            var answer = ""
            let isJudged = await BearwardProcess.wait(atMost: .seconds(5)) {
                answer = (try? lab.ask("GET /orders HTTP/1.1", ["Authorization: Bearer GOOD"]).response) ?? ""
                return answer.hasPrefix("HTTP/1.1 \(status) ")
            }
            #expect(isJudged, "\(step): \(answer.prefix(200))")
            #expect(try await figures.processorShare(over: .seconds(1)) < 0.3, "a busy loop after \(step)")
            bystander.send(request)
            bystander.receive { _ in bystander.statuses.count == index + 1 }
            #expect(bystander.statuses == [Int](repeating: 200, count: index + 1), "\(step)")
        }
        await lab.stop()
    }

    @Test(
        .enabled(if: ThreatTimeTests.fakeTime != nil, "libfaketime is not installed"),
        arguments: ["@2262-04-12 00:00:00", "@2500-01-01 00:00:00", "@9999-12-31 23:59:59", "@2026-10-31 12:00:00"])
    func `T155 a clock set to an impossible time crashes no worker, and makes the gateway unready`(
        _ time: String
    ) async throws {
        let clock = try folder.write("+0\n", to: "clock")
        let lab = try await ThreatLab.start(
            environment: try #require(Self.environment(clock)), launcher: [Self.launcher])
        func ready() async -> GatewayFixture.Answer? { try? await lab.served.administration("/readyz") }
        #expect(await ready()?.status == 200)
        try (time + "\n").write(to: clock, atomically: false, encoding: .utf8)
        var refused: GatewayFixture.Answer?
        let isRefused = await BearwardProcess.wait(atMost: .seconds(10)) {
            refused = await ready()
            return refused?.status == 503
        }
        #expect(isRefused && refused?.body.contains("\"phase\":\"wrong_clock\"") == true)
        // Every part that reads the wall clock has read it.
        #expect(try await lab.served.administration("/metrics").status == 200)
        var answer = ""
        let isJudged = await BearwardProcess.wait(atMost: .seconds(10)) {
            answer = (try? lab.ask("GET /orders HTTP/1.1", ["Authorization: Bearer GOOD"]).response) ?? ""
            return answer.hasPrefix("HTTP/1.1 401 ")
        }
        #expect(isJudged, "\(answer.prefix(200))")
        #expect(try lab.ask("GET /public/x HTTP/1.1", []).response.hasPrefix("HTTP/1.1 200 "))
        lab.served.gateway.signal(SIGHUP)
        #expect(await BearwardProcess.wait { lab.served.gateway.count(of: "Reloaded") > 0 })
        try "+0\n".write(to: clock, atomically: false, encoding: .utf8)
        #expect(await BearwardProcess.wait { await ready()?.status == 200 })
        #expect(lab.served.gateway.count(of: "A worker ended") == 0)
        await lab.stop()
    }

    @Test(
        .enabled(if: ThreatTimeTests.fakeTime != nil, "libfaketime is not installed"),
        arguments: ["@1970-01-01 00:00:10", "@2026-10-31 23:00:00", "@2262-04-12 00:00:00"])
    func `T152 the gateway does not start with a clock at an impossible time`(_ time: String) async throws {
        let clock = try folder.write(time + "\n", to: "clock")
        let environment = try #require(Self.environment(clock)).merging(
            ["TZ": "UTC"], uniquingKeysWith: { _, new in new })
        let text =
            "listen: 127.0.0.1:0\nissuers: {}\nresources: {open: {at: [/], upstream: \"http://127.0.0.1:9\", rules: {GET /: {public: true}}}}\n"
        let file = try folder.write(text, to: "bearward.yaml")
        let program = BearwardProcess.directory.appendingPathComponent("bearward").path
        let gateway = try BearwardProcess(
            program: URL(fileURLWithPath: Self.launcher), [program, "serve", "--config", file.path],
            environment: environment)
        let status = await gateway.exitStatus()
        #expect(status == 75)
        #expect(gateway.standardError.contains("The clock is wrong"))
    }
}
