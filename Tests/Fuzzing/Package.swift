// swift-tools-version: 6.3
import PackageDescription

// A package of its own, because everything in it is built with coverage counters and libFuzzer's `main`.
let package = Package(
    name: "fuzzing",
    dependencies: [.package(name: "bearward", path: "../..")],
    targets: [
        .executableTarget(
            name: "fuzz",
            dependencies: [.product(name: "FuzzTargets", package: "bearward")],
            swiftSettings: [.swiftLanguageMode(.v6), .unsafeFlags(["-parse-as-library"])],
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address"])],
        )
    ],
)
