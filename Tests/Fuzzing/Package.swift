// swift-tools-version: 6.3
import PackageDescription

// A separate package, because everything in it is built with coverage counters for libFuzzer.
let package = Package(
    name: "fuzzing",
    dependencies: [.package(name: "bearward", path: "../..")],
    targets: [
        .systemLibrary(name: "CLibFuzzer"),
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "CLibFuzzer", .product(name: "FuzzTargets", package: "bearward"),
                .product(name: "FuzzComparisons", package: "bearward"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)],
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])],
        ),
    ],
)
