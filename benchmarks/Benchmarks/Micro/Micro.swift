import Benchmark
import CAllocationCounter
import JOSE
import RequestAuthorization

/// What one request costs in the pure core, without sockets. Each says how many allocations it may make; one more ends
/// the run.
let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration = .init(
        metrics: [.wallClock, .allocations], scalingFactor: .kilo, maxDuration: .seconds(1), maxIterations: 1_000)

    // If what this one does is not counted, no other count means anything.
    Benchmark.call("allocates on purpose", allocations: 1...1) {
        blackHole([Int](repeating: 1, count: Int.random(in: 9...10)))
    }

    let request = BenchmarkRequest()
    Benchmark.call("parse head", allocations: 0...0) { request.parse() }
    for count in [10, 1_000, 100_000] {
        let routes = BenchmarkRoutes(count: count)
        Benchmark.call("route among \(count) rules", allocations: 0...0) { routes.match() }
    }
    let decision = BenchmarkDecision()
    Benchmark.call("decide", allocations: 0...0) { decision.decide() }

    let hit = BenchmarkAuthorization(.rs256, cached: true)
    Benchmark.call("authorize hit", allocations: 0...0) { hit.authorize() }
    // Most of these are libcrypto's, whose versions differ a little.
    for (algorithm, most) in [
        (SignatureAlgorithm.rs256, 97), (.ps256, 106), (.es256, 121), (.es384, 315), (.ed25519, 87),
    ] {
        let miss = BenchmarkAuthorization(algorithm, cached: false)
        Benchmark.call("authorize miss \(algorithm.rawValue)", allocations: 1...most) { miss.authorize() }
    }
    // What libcrypto has of a refusal: the signature alone, of a token of the same size.
    let signature = BenchmarkSignature(.rs256)
    Benchmark.call("verify forged signature RS256", allocations: 1...70) { signature.refuse() }
    let forged = BenchmarkAuthorization(.rs256, cached: true, forged: true)
    Benchmark.call("refuse forged RS256", allocations: 1...89) { forged.refuse() }
}

extension BenchmarkMetric {
    /// In all scaled iterations of one measurement, so that one in a thousand calls shows.
    static let allocations = BenchmarkMetric.custom(
        "allocations in 1,000 calls", polarity: .prefersSmaller, useScalingFactor: false)
}

extension Benchmark {
    /// Measures a thousand calls at a time, and what they allocate.
    ///
    /// - Parameter allowed: allocations of one call; any other number ends the run.
    static func call(_ name: String, allocations allowed: ClosedRange<Int>, _ body: @escaping () -> Void) {
        Benchmark(name) { benchmark in
            body()
            benchmark.startMeasurement()
            let before = allocation_count()
            for _ in benchmark.scaledIterations { body() }
            let allocations = Int(allocation_count() - before)
            benchmark.stopMeasurement()
            benchmark.measurement(.allocations, allocations)
            let calls = benchmark.scaledIterations.count
            guard (allowed.lowerBound * calls...allowed.upperBound * calls).contains(allocations) else {
                fatalError("\(name): \(allocations) allocations in \(calls) calls")
            }
        }
    }
}
