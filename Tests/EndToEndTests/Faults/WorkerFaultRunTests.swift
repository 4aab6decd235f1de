import AsyncHTTPClient
import DevelopmentIssuer
import Foundation
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

/// Real gateways whose workers are stopped, killed, upgraded and reloaded at random times. Each serves again within a
/// time limit, and exits.
///
/// `BEARWARD_FAULT_RUNS=200` makes a long run, `BEARWARD_SEED` repeats one.
@Suite(.serialized) final class WorkerFaultRunTests {
    private static let runs = ProcessInfo.processInfo.environment["BEARWARD_FAULT_RUNS"].flatMap { Int($0) } ?? 4
    private static let seed =
        ProcessInfo.processInfo.environment["BEARWARD_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...9_999_999)

    private enum Fault: CaseIterable {
        case stop, go, kill, upgrade, reload, reopen, reloadAlone
    }

    /// Faults and results of one run.
    private struct Report {
        var faults: [String] = []
        /// Time from the last fault to the first good answer.
        var outage: Duration = .zero
        /// Time from SIGTERM to the exit.
        var end: Duration = .zero
        /// Statuses that a serving gateway never gives.
        var wrong: [Int] = []
        var cause: String?
    }

    private static func ask(_ port: Int, token: String) async -> Int? {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/api/orders")
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        // A kept connection may lead to a stuck worker.
        request.headers.add(name: "Connection", value: "close")
        return (try? await HTTPClient.shared.execute(request, timeout: .seconds(1))).map { Int($0.status.code) }
    }

    private static func run(_ file: URL, token: String, _ generator: inout SeededGenerator) async throws -> Report {
        var report = Report()
        let gateway = try BearwardProcess(["serve", "--config", file.path])
        let workers = WorkerProcesses(gateway: gateway)
        _ = await workers.next(besides: [])
        if !generator.once(in: 4) { _ = await BearwardProcess.wait { gateway.port(of: "Listening") != nil } }
        for _ in 0..<Int.random(in: 2...7, using: &generator) {
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...600, using: &generator)))
            let fault = generator.pick(Fault.allCases)
            report.faults.append("\(fault)")
            let living = workers.living
            let worker = living.isEmpty ? nil : generator.pick(living)
            switch fault {
            case .stop: if let worker { kill(worker, SIGSTOP) }
            case .go: if let worker { kill(worker, SIGCONT) }
            case .kill: if let worker { kill(worker, SIGKILL) }
            case .reloadAlone: if let worker { kill(worker, SIGHUP) }
            case .upgrade: gateway.signal(SIGUSR2)
            case .reload: gateway.signal(SIGHUP)
            case .reopen: gateway.signal(SIGUSR1)
            }
        }
        // Only clients notice a worker that is stuck at work, so the operator requests an upgrade.
        gateway.signal(SIGUSR2)
        let calm = ContinuousClock.now
        let isServed = await BearwardProcess.wait(atMost: .seconds(60)) {
            guard let port = gateway.port(of: "Listening"), let status = await ask(port, token: token) else {
                return false
            }
            if status != 200 { report.wrong.append(status) }
            return status == 200
        }
        report.outage = ContinuousClock.now - calm
        if !isServed { report.cause = "nobody serves" }
        if generator.once(in: 2) { workers.living.forEach { kill($0, SIGCONT) } }
        // A worker that was stuck and resumes answers correctly or not at all.
        for _ in 0..<5 {
            guard let port = gateway.port(of: "Listening"), let status = await ask(port, token: token), status != 200
            else { continue }
            report.wrong.append(status)
        }
        let last = workers.living
        let told = ContinuousClock.now
        gateway.signal(SIGTERM)
        let status = await gateway.exitStatus(within: .seconds(60))
        report.end = ContinuousClock.now - told
        if status != 0 && status != 70 { report.cause = "the end was \(status.map(String.init) ?? "never")" }
        if last.contains(where: WorkerProcesses.isLiving) { report.cause = "a worker outlived its supervisor" }
        if report.cause != nil { report.cause? += "\n\(gateway.standardError)" }
        return report
    }

    @Test(.slow)
    func `after workers are randomly stopped, killed, upgraded and reloaded, a worker serves`()
        async throws
    {
        let fixture = try await GatewayFixture.start(topLines: "timeouts: {drain: 1s, start: 5s, connect: 500ms}\n")
        print("worker faults: \(Self.runs) runs, BEARWARD_SEED=\(Self.seed)")
        var reports: [Report] = []
        for run in 0..<Self.runs {
            var generator = SeededGenerator(seed: Self.seed &+ UInt64(run))
            // Hundreds of runs take longer than the lifetime of a token.
            let report = try await Self.run(fixture.file, token: try fixture.token(), &generator)
            reports.append(report)
            if Self.runs > 10 {
                print("run \(run): \(report.outage) \(report.end) \(report.faults.joined(separator: " "))")
            }
            #expect(
                report.cause == nil, "BEARWARD_SEED=\(Self.seed &+ UInt64(run)) BEARWARD_FAULT_RUNS=1: \(report.faults)"
            )
            #expect(
                report.wrong == [], "BEARWARD_SEED=\(Self.seed &+ UInt64(run)) BEARWARD_FAULT_RUNS=1: \(report.faults)")
        }
        let outages = reports.map(\.outage).sorted()
        let ends = reports.map(\.end).sorted()
        print(
            "worker faults: served again after \(outages[outages.count / 2]) (half), \(outages.last ?? .zero) at most")
        print("worker faults: ended after \(ends[ends.count / 2]) (half), \(ends.last ?? .zero) at most")
        // Two starts that hang, a hand-over without an answer, a backoff after consecutive crashes, and a start on a
        // busy machine.
        #expect(outages.allSatisfy { $0 < .seconds(40) })
        // A drain, a margin of ten seconds, and five seconds for the system.
        #expect(ends.allSatisfy { $0 < .seconds(25) })
        await fixture.stop()
    }
}
