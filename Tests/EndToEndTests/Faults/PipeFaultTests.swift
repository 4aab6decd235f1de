import Foundation
import TestSupport
import Testing

/// Standard streams that lead into pipes without a reader: traffic matters more than the log.
@Suite(.serialized) final class PipeFaultTests {
    enum Stalled: String, CaseIterable, Sendable {
        case stdout
        case stderr
        /// Both streams in one pipe, as container runtimes do it.
        case both
    }

    enum Order: String, CaseIterable, Sendable {
        case hangUp = "SIGHUP"
        case terminate = "SIGTERM"
        case upgrade = "SIGUSR2"
        case workerKilled = "worker killed"
    }

    /// Maximum time for carrying out an order, on a machine that may be busy.
    private static let patience: Duration = .seconds(20)

    @Test(arguments: Effort.some(Stalled.allCases, quick: 1), Effort.some(StalledPipe.State.allCases, quick: 1))
    func `with any pipe unread or closed, requests are answered and signals are obeyed in time`(
        _ stalled: Stalled, _ state: StalledPipe.State
    ) async throws {
        let upstream = try await LoopbackServer.upstream()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for order in Order.allCases {
                group.addTask { try await Self.check(stalled, state, order, upstream.url) }
            }
            try await group.waitForAll()
        }
        await upstream.stop()
    }

    private static func check(_ stalled: Stalled, _ state: StalledPipe.State, _ order: Order, _ upstream: String)
        async throws
    {
        let name: Comment = "\(stalled.rawValue) \(state.rawValue), \(order.rawValue)"
        let pipe = try StalledPipe(state)
        defer { withExtendedLifetime(pipe) {} }
        let gateway = try await UnreadGateway.start(
            upstream: upstream, output: stalled == .stderr ? nil : pipe.writing,
            errors: stalled == .stdout ? nil : pipe.writing)
        try await fillLogs(of: gateway, stalled, state, name)
        let worker = try #require(gateway.worker, name)
        switch order {
        case .hangUp: gateway.signal(SIGHUP)
        case .upgrade: gateway.signal(SIGUSR2)
        case .workerKilled: kill(worker, SIGKILL)
        case .terminate: break
        }
        if order != .terminate {
            let isObeyed = await BearwardProcess.wait(atMost: patience) {
                if order == .hangUp { return await gateway.figure(#"bearward_reloads_total{result="succeeded"}"#) == 1 }
                return gateway.worker.map { $0 != worker } == true && kill(worker, 0) != 0
            }
            #expect(isObeyed, name)
            let isReady = await BearwardProcess.wait(atMost: patience) {
                await gateway.administration("/readyz")?.status == 200
            }
            #expect(isReady, name)
            #expect(await gateway.administration("/metrics")?.status == 200, name)
            #expect(await gateway.askMany(40, path: "/after") == 40, name)
        }
        gateway.signal(SIGTERM)
        #expect(await gateway.exitStatus(within: UnreadGateway.drain + UnreadGateway.end) == 0, name)
    }

    /// Sends requests until the unread logs have exceeded their queues.
    private static func fillLogs(
        of gateway: UnreadGateway, _ stalled: Stalled, _ state: StalledPipe.State, _ name: Comment
    ) async throws {
        // This many lines of this length exceed the queue.
        let isStuck = stalled != .stderr && state == .notRead
        let (count, path) = isStuck ? (1200, "/" + String(repeating: "x", count: 7900)) : (40, "/before")
        #expect(await gateway.askMany(count, path: path) == count, name)
        if stalled != .stderr { #expect(await gateway.counts("bearward_access_log_dropped_lines_total"), name) }
        if stalled != .stdout, state == .closed {
            #expect(await gateway.counts("bearward_log_dropped_lines_total"), name)
        }
        // Warnings that the event loops log now must not delay them.
        #expect(await gateway.askMany(40, path: "/filled") == 40, name)
        #expect(await gateway.administration("/readyz")?.status == 200, name)
    }

    @Test func `when a pipe is read again, the log reports its missing lines, and each line is complete`()
        async throws
    {
        let upstream = try await LoopbackServer.upstream()
        let pipe = try StalledPipe(.notRead)
        let gateway = try await UnreadGateway.start(upstream: upstream.url, output: pipe.writing, errors: pipe.writing)
        var count = 1200
        #expect(await gateway.askMany(count, path: "/" + String(repeating: "x", count: 7900)) == count)
        #expect(await gateway.counts("bearward_access_log_dropped_lines_total"))
        pipe.startReading()
        let isRead = await BearwardProcess.wait { pipe.objects > 800 }
        #expect(isRead)
        #expect(await gateway.askMany(40, path: "/after") == 40)
        count += 40
        var dropped = 0
        let isComplete = await BearwardProcess.wait {
            dropped = Int(await gateway.figure("bearward_access_log_dropped_lines_total") ?? -1)
            return pipe.objects + dropped == count
        }
        #expect(isComplete, "\(pipe.objects) lines, \(dropped) dropped, \(count) asked")
        gateway.signal(SIGTERM)
        #expect(await gateway.exitStatus(within: UnreadGateway.drain + UnreadGateway.end) == 0)
        // The last message arrives where the pipe is read.
        let hasLast = await BearwardProcess.wait { pipe.reading.text.contains(" notice Draining ") }
        #expect(hasLast)
        let text = pipe.reading.text
        #expect(text.contains(" Access log lines are written again dropped_lines=\(dropped)\n"), "\(text.suffix(2000))")
        // Lines that exceed an atomic pipe write may be mixed with another writer's; short lines never are.
        let short = text.split(separator: "\n").filter { $0.utf8.count < 4096 && $0.hasPrefix("{") }
        #expect(short.count >= 40)
        #expect(short.allSatisfy { (try? JSONSerialization.jsonObject(with: Data($0.utf8))) != nil })
        await upstream.stop()
    }

    @Test(.enabled(if: Interop.prlimit != nil, "prlimit is not installed"))
    func `a full log file is reported each time, dropped lines are counted, and each line is complete`()
        async throws
    {
        let upstream = try await LoopbackServer.upstream()
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let log = folder.url.appendingPathComponent("access.log")
        let errors = try folder.write("", to: "errors.log")
        let gateway = try await UnreadGateway.start(
            upstream: upstream.url, output: nil, errors: try FileHandle(forWritingTo: errors), accessLog: log.path)
        let said = { (text: String) in
            (try String(contentsOf: errors, encoding: .utf8)).components(separatedBy: text).count - 1
        }
        var asked = 0
        for turn in 1...2 {
            // Leaves space for the lines up to the middle of one.
            let size = (try FileManager.default.attributesOfItem(atPath: log.path)[.size] as? Int ?? 0) + 5150
            try await limit(gateway, fileSize: "\(size)")
            #expect(await gateway.askMany(80, path: "/full/\(turn)") == 80)
            let saysSo = try await BearwardProcess.wait { try said("Access log lines are being dropped") == turn }
            #expect(saysSo, "\((try? String(contentsOf: errors, encoding: .utf8)) ?? "")")
            try await limit(gateway, fileSize: "unlimited")
            #expect(await gateway.askMany(80, path: "/again/\(turn)") == 80)
            let saysAgain = try await BearwardProcess.wait { try said("Access log lines are written again") == turn }
            #expect(saysAgain)
            asked += 160
        }
        let dropped = Int(await gateway.figure("bearward_access_log_dropped_lines_total") ?? -1)
        #expect(dropped > 0)
        var lines: [Substring] = []
        let isComplete = try await BearwardProcess.wait {
            lines = try String(contentsOf: log, encoding: .utf8).split(
                separator: "\n", omittingEmptySubsequences: false
            ).dropLast()
            return lines.count + dropped >= asked
        }
        #expect(isComplete, "\(lines.count) lines, \(dropped) dropped, \(asked) asked")
        #expect(lines.count + dropped == asked)
        let broken = lines.filter { (try? JSONSerialization.jsonObject(with: Data($0.utf8))) == nil }
        #expect(broken.isEmpty, "\(broken)")
        gateway.signal(SIGTERM)
        #expect(await gateway.exitStatus(within: UnreadGateway.drain + UnreadGateway.end) == 0)
        await upstream.stop()
    }

    /// Limits the size of files that the worker writes.
    private func limit(_ gateway: UnreadGateway, fileSize: String) async throws {
        let worker = try #require(gateway.worker)
        let prlimit = try BearwardProcess(
            program: URL(fileURLWithPath: "/usr/bin/prlimit"), ["--pid", "\(worker)", "--fsize=\(fileSize):unlimited"])
        #expect(await prlimit.exitStatus() == 0)
    }

    @Test(arguments: [StalledPipe.State.notRead, .closed])
    func `an error at the start exits in time even if standard error is not read`(
        _ state: StalledPipe.State
    ) async throws {
        try await Self.expectConfigurationErrors(of: ["serve"], writingTo: try StalledPipe(state))
    }

    @Test(arguments: [["check"], ["explain", "GET", "/"]])
    func `a command's exit status is right even if its output is closed`(
        _ command: [String]
    ) async throws {
        try await Self.expectConfigurationErrors(of: command, writingTo: try StalledPipe(.closed))
    }

    /// Runs a command on a file that does not exist.
    private static func expectConfigurationErrors(of command: [String], writingTo pipe: StalledPipe) async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let program = BearwardProcess.directory.appendingPathComponent("bearward").path
        process.arguments = ["--default-signal=PIPE", program] + command + ["--config", "/nowhere/at/all.yaml"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe.writing
        process.standardError = pipe.writing
        try process.run()
        defer { process.end(after: .zero) }
        let ended = await BearwardProcess.wait { !process.isRunning }
        try #require(ended)
        #expect(process.terminationReason == .exit && process.terminationStatus == 78, "\(process.terminationStatus)")
    }
}
