import Benchmark
import CAllocationCounter
import RequestAuthorization

/// What one request costs in the pure core, without sockets. `Thresholds/` says how many allocations each may make.
let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration = .init(
        metrics: [.wallClock, .allocations], scalingFactor: .kilo, maxDuration: .seconds(1), maxIterations: 1_000)

    // If what this one does is not counted, no other count means anything.
    Benchmark.call("allocates on purpose", allocations: 1_000) { blackHole([Int](repeating: 1, count: Int.random(in: 9...10))) }

    let request = BenchmarkRequest()
    Benchmark.call("parse head") { request.parse() }
    for count in [10, 1_000, 100_000] {
        let routes = BenchmarkRoutes(count: count)
        Benchmark.call("route among \(count) rules") { routes.match() }
    }
    let decision = BenchmarkDecision()
    Benchmark.call("decide") { decision.decide() }

    let hit = BenchmarkAuthorization(.rs256, cached: true)
    Benchmark.call("authorize hit") { hit.authorize() }
    for algorithm in BenchmarkAuthorization.algorithms {
        let miss = BenchmarkAuthorization(algorithm, cached: false)
        Benchmark.call("authorize miss \(algorithm.rawValue)") { miss.authorize() }
    }
    let forged = BenchmarkAuthorization(.rs256, cached: true, forged: true)
    Benchmark.call("refuse forged RS256") { forged.refuse() }
}

extension BenchmarkMetric {
    /// In all scaled iterations of one measurement, so that one in a thousand calls shows.
    static let allocations = BenchmarkMetric.custom("allocations in 1,000 calls", polarity: .prefersSmaller, useScalingFactor: false)
}

extension Benchmark {
    /// Measures a thousand calls at a time, and what they allocate.
    ///
    /// - Parameter expected: ends the run if the count is another.
    static func call(_ name: String, allocations expected: Int? = nil, _ body: @escaping () -> Void) {
        Benchmark(name) { benchmark in
            body()
            benchmark.startMeasurement()
            let before = allocation_count()
            for _ in benchmark.scaledIterations { body() }
            let allocations = Int(allocation_count() - before)
            benchmark.stopMeasurement()
            benchmark.measurement(.allocations, allocations)
            precondition(expected == nil || allocations == expected, "\(allocations) allocations were counted, not \(expected ?? 0)")
        }
    }
}
