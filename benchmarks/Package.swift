// swift-tools-version: 6.3
import PackageDescription

// A package of its own, so that nothing that only measures is built with the gateway.
let package = Package(
    name: "benchmarks",
    dependencies: [
        .package(name: "bearward", path: ".."),
        // Without its traits, which count allocations in ways of their own.
        .package(url: "https://github.com/ordo-one/benchmark.git", from: "1.38.1", traits: []),
    ],
    targets: [
        .executableTarget(
            name: "verification",
            dependencies: [.product(name: "TokenVerification", package: "bearward")],
            swiftSettings: [.swiftLanguageMode(.v6)],
        ),
        .target(name: "CAllocationCounter"),
        .executableTarget(
            name: "Micro",
            dependencies: [
                "CAllocationCounter", .product(name: "RequestAuthorization", package: "bearward"),
                .product(name: "JOSESigning", package: "bearward"), .product(name: "Benchmark", package: "benchmark"),
            ],
            path: "Benchmarks/Micro",
            swiftSettings: [.swiftLanguageMode(.v6)],
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")],
        ),
    ],
)
