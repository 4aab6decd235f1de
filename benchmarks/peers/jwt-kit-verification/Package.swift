// swift-tools-version: 6.3
import PackageDescription

// A package of its own, so that nothing of it is fetched or built unless it is measured. Its directory may not be
// called like the package that it measures: SwiftPM would take the two for one.
let package = Package(
    name: "jwt-kit-verification",
    dependencies: [.package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1")],
    targets: [
        .executableTarget(
            name: "jwt-kit-verification",
            dependencies: [.product(name: "JWTKit", package: "jwt-kit")],
            swiftSettings: [.swiftLanguageMode(.v6)]
        )
    ]
)
