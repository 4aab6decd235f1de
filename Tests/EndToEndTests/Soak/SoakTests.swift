import DevelopmentIssuer
import Foundation
import Synchronization
import TestSupport
import Testing

/// Soak test: full load, a tenth of it with bad tokens; an upstream, an issuer, clients and an operator that all
/// misbehave at random; and a model that knows the outcome of each request. It takes half a minute, or
/// `BEARWARD_SOAK_MINUTES`.
@Suite(.serialized) final class SoakTests {
    private static let minutes = ProcessInfo.processInfo.environment["BEARWARD_SOAK_MINUTES"].flatMap { Double($0) }

    @Test(.slow)
    func `F46, T405, T407 load and random faults cause no wrong verdict, no swapped answer and no leak`()
        async throws
    {
        let length = Duration.seconds((Self.minutes ?? 0.5) * 60)
        let issuer = try await AuthorizationServer.start(algorithm: .es256)
        let upstream = try await SoakUpstream.start()
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let log = folder.url.appendingPathComponent("access.log")
        var file = GatewayText.generic(issuer.issuer, keys: issuer.issuer + "/jwks", upstream: upstream.url)
        // All of the load comes from one address.
        file.topLines = ["access_log: \(log.path)", "limits: {failed_verifications_per_address: off}"]
        file.rules = ["GET /**: read", "POST /**: read"]
        let served = try await ServedFile.start(file.text)
        let tokens = try SoakTokens(issuer)
        let figures = ProcessFigures(served.gateway)
        // Memory that the first request of each kind allocates for good is not a leak.
        _ = await Self.load(served.port, tokens, for: .seconds(3))
        let before = figures.descriptors
        var course = SoakCourse(figures)
        let stop = StopSign()
        let port = served.port
        let trouble = SoakTrouble(issuer: issuer, tokens: tokens, served: served, file: file, log: log)
        async let report = Self.load(port, tokens, until: stop)
        let end = ContinuousClock.now + length
        var random = SeededGenerator(seed: 46)
        while ContinuousClock.now < end {
            try await Task.sleep(for: .seconds(1))
            course.look()
            if random.once(in: 2) { try await trouble.make(&random) }
        }
        stop.raise()
        let seen = await report
        print(
            "soak: \(seen.healthy) good, \(seen.unhealthy) of them without an answer, \(seen.refused) refused, "
                + "\(seen.faulty) of a failing upstream, \(seen.brokenOff) broken off; \(course); \(trouble.made.count) troubles"
        )
        #expect(seen.wrong.isEmpty, "\(seen.wrong)")
        #expect(upstream.reached.bad.withLock { $0 } == [], "bad tokens reached the upstream")
        #expect(seen.healthy > 1000 && seen.refused > 100 && seen.faulty > 100 && seen.brokenOff > 10)
        #expect(Double(seen.unhealthy.values.reduce(0, +)) <= 0.001 * Double(seen.healthy), "\(seen.unhealthy)")
        #expect(ProcessFigures(served.gateway).pid == figures.pid, "the worker is another one")
        let delays = try await served.administration("/metrics").body.split(separator: "\n").filter {
            $0.contains("_loop_delays_total{")
        }
        print("soak: \(delays.joined(separator: ", "))")
        #expect(delays.count == 3, "T407 how late the event loops were is told")
        // Idle connections to the upstream close after a minute.
        #expect(
            await BearwardProcess.wait(atMost: .seconds(90)) { figures.descriptors <= before + 4 },
            "\(before) descriptors, then \(figures.descriptors)")
        course.judge(isLong: length >= .seconds(600))
        await served.stop()
        await upstream.stop()
        await issuer.stop()
    }

    private static func load(_ port: Int, _ tokens: SoakTokens, for time: Duration) async -> SoakReport {
        let stop = StopSign()
        async let report = load(port, tokens, until: stop)
        try? await Task.sleep(for: time)
        stop.raise()
        return await report
    }

    private static func load(_ port: Int, _ tokens: SoakTokens, until stop: StopSign) async -> SoakReport {
        await withTaskGroup(of: SoakReport.self) { group in
            for number in 0..<16 {
                group.addTask {
                    await onThread {
                        var client = SoakClient(port: port, tokens: tokens, number: number)
                        return client.run(until: stop)
                    }
                }
            }
            return await group.reduce(SoakReport(), +)
        }
    }
}

/// Memory of a worker over time.
private struct SoakCourse: CustomStringConvertible {
    private let figures: ProcessFigures
    private var resident: [Int] = []

    init(_ figures: ProcessFigures) {
        self.figures = figures
    }

    mutating func look() {
        resident.append(figures.residentKiB)
    }

    private var thirds: (first: Int, last: Int) {
        let count = max(1, resident.count / 3)
        return (Self.median(resident.prefix(count)), Self.median(resident.suffix(count)))
    }

    private static func median(_ values: ArraySlice<Int>) -> Int {
        values.sorted().dropFirst(values.count / 2).first ?? 0
    }

    var description: String {
        let course = stride(from: 0, to: resident.count, by: max(1, resident.count / 20)).map { String(resident[$0]) }
            .joined(
                separator: " ")
        return "\(thirds.first) KiB resident in the first third, \(thirds.last) KiB in the last (\(course))"
    }

    func judge(isLong: Bool) {
        let (first, last) = thirds
        // In a short run, the allocator's arenas may still grow once more.
        #expect(isLong ? Double(last) <= 1.05 * Double(first) : last - first < 16 * 1024, "\(self)")
    }
}
