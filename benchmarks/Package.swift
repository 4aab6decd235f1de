// swift-tools-version: 6.3
import PackageDescription

// A package of its own, so that nothing that only measures is built with the gateway.
let package = Package(
    name: "benchmarks",
    dependencies: [.package(name: "bearward", path: "..")],
    targets: [
        .executableTarget(
            name: "verification",
            dependencies: [.product(name: "TokenVerification", package: "bearward")],
            swiftSettings: [.swiftLanguageMode(.v6)]
        )
    ]
)
