// swift-tools-version: 6.3
import PackageDescription

/// What `--version` says it was built from; unknown where there is no repository, as in a dependency's checkout.
let commit =
    Context.gitInformation.map { String($0.currentCommit.prefix(12)) + ($0.hasUncommittedChanges ? "+" : "") }
    ?? "unknown"

/// Every target of ours: strict memory safety always, and no warning survives continuous integration.
let settings: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .strictMemorySafety(),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + (Context.environment["CI"] == nil ? [] : [.treatAllWarnings(as: .error)])

// The arrows point down: a module imports what it lists here, all of it and nothing else of ours. `make lint` checks
// that.
let package = Package(
    name: "bearward",
    products: [
        .executable(name: "bearward", targets: ["bearward"]),
        .library(name: "TokenVerification", targets: ["TokenVerification", "JOSE", "TypedIndices"]),
        .library(name: "AccessControl", targets: ["AccessControl", "TypedIndices"]),
        .library(name: "KeySets", targets: ["KeySets", "NetworkNames"]),
        .library(
            name: "RequestAuthorization",
            targets: [
                "RequestAuthorization", "HTTPMessages", "KnownTokens", "IdentityFields", "CallerKeys", "Quotas",
                "AccessControl", "KeySets",
                "TokenVerification", "NetworkNames", "TypedIndices",
            ],
        ),
        // For whoever tests with tokens; the gateway does not link it.
        .library(name: "JOSESigning", targets: ["JOSESigning"]),
        // For the fuzzers, which are a package of their own.
        .library(name: "FuzzTargets", targets: ["FuzzTargets"]),
        .library(name: "FuzzComparisons", targets: ["FuzzComparisons"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", exact: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
        .package(url: "https://github.com/apple/swift-protobuf", exact: "1.39.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-system", exact: "1.8.1"),
        .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    ],
    targets: [
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CNGHTTP2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
        .systemLibrary(name: "CJansson", pkgConfig: "jansson", providers: [.apt(["libjansson-dev"])]),
        .systemLibrary(name: "CARES", pkgConfig: "libcares", providers: [.apt(["libc-ares-dev"])]),
        .systemLibrary(name: "CHiredis", providers: [.apt(["libhiredis-dev"])]),
        .systemLibrary(name: "CYAML", providers: [.apt(["libyaml-dev"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CDescriptors"),
        .module("StrictJSON", ["CJansson"]),
        .module("YAMLTree", ["CYAML"]),
        .module("GzipDecoding", ["CZlib"]),
        .module("JOSE", ["StrictJSON", "COpenSSL"]),
        .module("NetworkNames", []),
        .module("Files", ["CDescriptors", .systemPackage]),
        .module("TypedIndices", []),
        .module("MetricFamilies", []),
        .module("TokenVerification", ["JOSE", "StrictJSON", "NetworkNames", "TypedIndices"]),
        .module("AccessControl", ["TokenVerification", "StrictJSON", "NetworkNames", "TypedIndices"]),
        .module("KeySets", ["MetricFamilies", "TokenVerification", "JOSE", "StrictJSON", "NetworkNames"]),
        .module(
            "IssuerProfiles", ["KeySets", "TokenVerification", "JOSE", "NetworkNames", "StrictJSON", "TypedIndices"]),
        .module(
            "TokenIntrospection",
            ["MetricFamilies", "KeySets", "TokenVerification", "JOSE", "StrictJSON", "NetworkNames"]),
        .module(
            "KeySetFetching",
            [
                "MetricFamilies", "TokenIntrospection", "KeySets", "JOSE", "TokenVerification", "NetworkNames", "Files",
                "GzipDecoding", "OperationalLog",
                "TransportSecurity",
                .asyncHTTPClient, .logging, .nioCore,
                .nioPosix, .nioSSL, .nioHTTP1, .systemPackage,
            ],
        ),
        .module("HTTPMessages", ["NetworkNames"]),
        .module("IdentityFields", ["HTTPMessages", "TokenVerification", "StrictJSON"]),
        .module("CallerKeys", ["TokenVerification", "JOSE", "StrictJSON", "NetworkNames"]),
        .module("Quotas", ["MetricFamilies", "CallerKeys", "TokenVerification", "NetworkNames"]),
        .module("SharedQuotas", ["MetricFamilies", "Quotas", "JOSE", "Files", "CHiredis"]),
        .module("DenyLists", ["TokenVerification", "JOSE", "StrictJSON", "NetworkNames"]),
        .module(
            "KnownTokens",
            [
                "MetricFamilies", "DenyLists", "HTTPMessages", "IdentityFields", "CallerKeys", "AccessControl",
                "KeySets",
                "TokenVerification", "JOSE",
                "StrictJSON", "TypedIndices",
            ]),
        .module("HTTP2Sessions", ["CNGHTTP2", .nioCore]),
        .module("NameLookup", ["NetworkNames", "Files", "CARES"]),
        .module("ProxySettings", ["HTTPMessages"]),
        .module("UpstreamFleets", ["ProxySettings", "NetworkNames"]),
        .module("TransportSecurity", ["MetricFamilies", "ProxySettings", "TokenVerification", .nioCore, .nioSSL]),
        .module(
            "RequestAuthorization",
            [
                "DenyLists", "HTTPMessages", "KnownTokens", "IdentityFields", "CallerKeys", "Quotas", "AccessControl",
                "TokenIntrospection",
                "KeySets",
                "TokenVerification", "JOSE", "StrictJSON", "NetworkNames", "TypedIndices",
            ],
        ),
        .target(
            name: "EnvoyMessages", dependencies: [.swiftProtobuf], exclude: ["check.proto"], swiftSettings: settings),
        .module("AuthorizationDoors", ["EnvoyMessages", "RequestAuthorization", "HTTPMessages", .swiftProtobuf]),
        // Judging claims that nobody signed: for trying out policies, and nothing that serves reaches it
        // (`.ci/modules`).
        .module(
            "AssumedTokens",
            [
                "RequestAuthorization", "HTTPMessages", "AccessControl", "KeySets", "TokenVerification", "JOSE",
                "StrictJSON", "TypedIndices",
            ]),
        .module(
            "PolicyTesting",
            [
                "AssumedTokens", "ConfigurationFile", "IssuerProfiles", "ProxySettings", "RequestAuthorization",
                "HTTPMessages", "AccessControl", "TokenVerification", "JOSE", "StrictJSON", "TypedIndices",
            ]),
        .module(
            "PolicyDifference",
            [
                "AssumedTokens", "ConfigurationFile", "ProxySettings", "RequestAuthorization", "HTTPMessages",
                "IdentityFields",
                "AccessControl", "TokenVerification", "JOSE", "StrictJSON", "TypedIndices",
            ]),
        .systemLibrary(name: "CMalloc"),
        .target(name: "CBuildInfo", cSettings: [.define("BEARWARD_COMMIT", to: "\"\(commit)\"")]),
        .module("LogOutput", ["Files", .systemPackage]),
        .module("OperationalLog", ["ProxySettings", "StrictJSON", "NetworkNames", .logging]),
        .module(
            "ReverseProxy",
            [
                "MetricFamilies", "ProxySettings", "NetworkNames", "TransportSecurity", "UpstreamFleets",
                "AuthorizationDoors",
                "RequestAuthorization",
                "DenyLists", "KnownTokens",
                "HTTPMessages", "AccessControl", "KeySets", "TokenVerification", "JOSE", "StrictJSON", "TypedIndices",
                "HTTP2Sessions",
                "NameLookup", "LogOutput", "OperationalLog", "Files",
                "CMalloc",
                .logging, .nioCore, .nioPosix, .nioSSL, .nioTLS, .nioHTTP1, .nioWebSocket, .systemPackage,
            ],
        ),
        .module(
            "ConfigurationFile",
            [
                "ProxySettings", "NetworkNames", "Files", "AuthorizationDoors", "RequestAuthorization", "DenyLists",
                "IdentityFields",
                "CallerKeys", "Quotas", "HTTPMessages", "AccessControl", "IssuerProfiles", "TokenIntrospection",
                "KeySets",
                "TokenVerification", "JOSE",
                "StrictJSON", "TypedIndices", "YAMLTree", .systemPackage,
            ],
        ),
        .module(
            "Administration",
            [
                "MetricFamilies", "KeySetFetching", "TokenIntrospection", "KeySets", "JOSE", "NetworkNames",
                "StrictJSON", "TokenVerification", .hummingbird, .hummingbirdCore,
                .httpTypes, .logging,
                .nioCore,
            ]),
        .module(
            "Denials",
            [
                "MetricFamilies", "Administration", "DenyLists", "SharedQuotas", "KeySetFetching", "KeySets",
                "TokenVerification", "StrictJSON", "Files", "OperationalLog", .logging, .nioPosix,
            ]),
        .module(
            "GatewayAssembly",
            [
                "CBuildInfo",
                "MetricFamilies", "NetworkNames", "ConfigurationFile", "ProxySettings", "Administration",
                "ReverseProxy",
                "TransportSecurity",
                "Denials", "DenyLists", "Quotas", "SharedQuotas", "KeySetFetching", "RequestAuthorization",
                "KnownTokens",
                "TokenIntrospection",
                "KeySets",
                "TokenVerification", "JOSE",
                "TypedIndices", "OperationalLog", .logging, .nioCore,
            ],
        ),
        .module("Supervision", ["CDescriptors", "Files", .systemPackage]),
        .executableTarget(
            name: "bearward",
            dependencies: [
                "Supervision", "GatewayAssembly", "ConfigurationFile", "Files", "PolicyTesting", "PolicyDifference",
                "IssuerProfiles",
                "KeySetFetching",
                "AuthorizationDoors", "RequestAuthorization",
                "DenyLists", "TokenIntrospection",
                "KeySets", "LogOutput", "OperationalLog", "HTTPMessages", "ProxySettings", "TransportSecurity",
                "ReverseProxy",
                "TokenVerification", "StrictJSON", "JOSE", "TypedIndices", .argumentParser, .asyncHTTPClient, .logging,
                .nioCore, .nioHTTP1,
                .systemPackage, .unixSignals,
            ],
            swiftSettings: settings,
        ),
        // Making tokens: development and tests only, never linked into `bearward`.
        .module("JOSESigning", ["JOSE", "StrictJSON", "COpenSSL"]),
        .module("ProviderFixtures", ["IssuerProfiles", "JOSESigning", "JOSE", "StrictJSON"]),
        .module(
            "DevelopmentIssuer",
            [
                "ProviderFixtures", "JOSESigning", "JOSE", "StrictJSON", "NetworkNames", "Files", .hummingbird,
                .httpTypes, .logging,
                .nioCore,
                .systemPackage,
            ],
        ),
        .executableTarget(
            name: "bearward-dev",
            dependencies: [
                "DevelopmentIssuer", "ProviderFixtures", "JOSESigning", "StrictJSON", "GatewayAssembly",
                "ConfigurationFile", "Files",
                "KeySetFetching", "ProxySettings", "TransportSecurity", "OperationalLog", .argumentParser,
                .asyncHTTPClient, .nioCore,
                .nioHTTP1, .systemPackage, .unixSignals,
            ],
            swiftSettings: settings,
        ),
        .target(
            name: "TestSupport", dependencies: ["JOSESigning", "JOSE"], path: "Tests/TestSupport",
            swiftSettings: settings),
        // A judge of requests that was written from the documents, so it imports nothing of what it is compared with.
        .target(name: "PolicyOracle", path: "Tests/PolicyOracle", swiftSettings: settings),
        .target(
            name: "FuzzTargets",
            dependencies: [
                "HTTPMessages", "JOSE", "TokenVerification", "AccessControl", "StrictJSON", "ConfigurationFile",
                "ProxySettings",
                "NetworkNames",
            ],
            path: "Tests/FuzzTargets",
            swiftSettings: settings,
        ),
        .target(
            name: "FuzzComparisons",
            dependencies: ["FuzzTargets", "HTTPMessages", "HTTP2Sessions", .nioCore, .nioEmbedded, .nioHTTP1],
            path: "Tests/FuzzComparisons",
            swiftSettings: settings,
        ),
        .tests("FuzzTargetsTests", ["FuzzTargets", "FuzzComparisons", "TestSupport"]),
        .tests("StrictJSONTests", ["TestSupport", "StrictJSON"]),
        .tests("YAMLTreeTests", ["YAMLTree"]),
        .tests("GzipDecodingTests", ["GzipDecoding"]),
        .tests("NetworkNamesTests", ["NetworkNames"]),
        .tests("TypedIndicesTests", ["TypedIndices"]),
        .tests("JOSETests", ["TestSupport", "JOSE", "JOSESigning", "StrictJSON"]),
        .tests(
            "TokenVerificationTests",
            ["TestSupport", "TokenVerification", "JOSE", "JOSESigning", "StrictJSON", "TypedIndices"]),
        .tests("AccessControlTests", ["TestSupport", "AccessControl", "TypedIndices"]),
        .tests("KeySetsTests", ["TestSupport", "NetworkNames", "KeySets", "JOSE", "TokenVerification", "StrictJSON"]),
        .tests(
            "IssuerProfilesTests",
            [
                "IssuerProfiles", "ProviderFixtures", "AccessControl", "KeySets", "TokenVerification", "JOSE",
                "StrictJSON",
                "TypedIndices",
            ],
        ),
        .tests(
            "TokenIntrospectionTests",
            ["TokenIntrospection", "NetworkNames", "KeySets", "JOSE", "TokenVerification", "StrictJSON"]),
        .tests(
            "KeySetFetchingTests",
            [
                "NetworkNames", "TestSupport", "Files", "KeySetFetching", "TokenIntrospection", "KeySets", "JOSE",
                "TokenVerification",
                "StrictJSON", .nioCore, .nioPosix, .nioHTTP1, .nioSSL, .logging, .systemPackage,
            ],
        ),
        .tests("QuotasTests", ["TestSupport", "Quotas"]),
        .tests("DenyListsTests", ["TestSupport", "DenyLists", "TokenVerification", "JOSE"]),
        .tests(
            "DenialsTests",
            [
                "TestSupport", "Denials", "Administration", "DenyLists", "SharedQuotas", "KeySets", "TokenVerification",
                "JOSE", "Files",
            ]),
        .tests("SharedQuotasTests", ["TestSupport", "SharedQuotas", "Quotas", "Files", .nioCore, .nioPosix]),
        .tests(
            "FleetSimulationTests",
            [
                "TestSupport", "Denials", "SharedQuotas", "Quotas", "CallerKeys", "DenyLists",
                "RequestAuthorization",
                "KnownTokens",
                "KeySets", "AccessControl", "HTTPMessages", "TokenVerification", "JOSE", "JOSESigning", "TypedIndices",
            ]),
        .tests("UpstreamFleetsTests", ["TestSupport", "UpstreamFleets", "ProxySettings"]),
        .tests("TransportSecurityTests", ["TestSupport", "TransportSecurity", "ProxySettings"]),
        .tests("HTTPMessagesTests", ["TestSupport", "HTTPMessages", .nioCore, .nioEmbedded, .nioHTTP1]),
        .tests("KnownTokensTests", ["TestSupport", "KnownTokens", "JOSE", "StrictJSON", "TokenVerification"]),
        .tests("HTTP2SessionsTests", ["TestSupport", "HTTP2Sessions", .nioCore]),
        .tests("FilesTests", ["TestSupport", "Files", .systemPackage]),
        .tests("NameLookupTests", ["TestSupport", "NameLookup", "NetworkNames", .nioCore, .nioPosix]),
        .tests(
            "RequestAuthorizationTests",
            [
                "TestSupport", "RequestAuthorization", "DenyLists", "IdentityFields", "CallerKeys", "Quotas",
                "KnownTokens",
                "AccessControl",
                "HTTPMessages",
                "TokenIntrospection", "KeySets", "TokenVerification", "JOSE", "JOSESigning", "TypedIndices",
            ],
        ),
        .tests(
            "AuthorizationDoorsTests",
            [
                "TestSupport", "AuthorizationDoors", "EnvoyMessages", "RequestAuthorization", "HTTPMessages",
                .swiftProtobuf,
            ]),
        .tests(
            "PolicyTestingTests",
            [
                "TestSupport", "PolicyTesting", "ConfigurationFile", "IssuerProfiles", "ProviderFixtures",
                "ProxySettings", "TokenVerification", "JOSE", "StrictJSON",
            ]),
        .tests(
            "PolicyDifferenceTests",
            [
                "TestSupport", "PolicyDifference", "AssumedTokens", "ConfigurationFile", "ProxySettings",
                "RequestAuthorization",
                "HTTPMessages", "JOSE", "AccessControl", "TokenVerification", "TypedIndices",
            ]),
        .tests(
            "PolicyOracleTests",
            [
                "TestSupport", "PolicyOracle", "AssumedTokens", "ConfigurationFile", "ProxySettings",
                "RequestAuthorization", "HTTPMessages", "TokenVerification", "TypedIndices",
            ]),
        .tests(
            "AssumedTokensTests",
            [
                "AssumedTokens", "ConfigurationFile", "ProviderFixtures", "ProxySettings", "RequestAuthorization",
                "HTTPMessages",
                "TokenVerification",
                "StrictJSON", "JOSE", "TypedIndices",
            ]),
        .tests(
            "ReverseProxyTests",
            [
                "COpenSSL", "TestSupport", "MetricFamilies", "JOSE", "AuthorizationDoors", "EnvoyMessages",
                "ReverseProxy", "UpstreamFleets", "ProxySettings",
                "NetworkNames",
                "TransportSecurity",
                "HTTP2Sessions", "NameLookup", "RequestAuthorization", "IdentityFields", "KnownTokens", "HTTPMessages",
                "AccessControl",
                "KeySets",
                "TokenVerification", "TypedIndices", .logging, .nioCore, .nioPosix, .nioEmbedded, .nioSSL, .nioTLS,
                .nioHPACK,
                .swiftProtobuf,
            ],
        ),
        .tests(
            "ConfigurationFileTests",
            [
                "TestSupport", "ProviderFixtures", "ConfigurationFile", "IssuerProfiles", "ProxySettings",
                "NetworkNames",
                "TransportSecurity",
                "RequestAuthorization", "IdentityFields", "HTTPMessages", "AccessControl", "TokenIntrospection",
                "KeySets",
                "TokenVerification", "JOSE", "TypedIndices",
            ],
        ),
        .tests(
            "DocumentationTests",
            [
                "TestSupport", "ConfigurationFile", "RequestAuthorization", "AccessControl",
                "Denials", "DenyLists", "GatewayAssembly", "JOSE",
                "JOSESigning", "KeySetFetching", "KeySets", "KnownTokens", "MetricFamilies", "OperationalLog",
                "ProxySettings", "Quotas", "ReverseProxy", "SharedQuotas", "TokenIntrospection", "TokenVerification",
                "TransportSecurity", .logging,
            ]),
        .tests("LogOutputTests", ["TestSupport", "LogOutput"]),
        .tests("OperationalLogTests", ["OperationalLog", "ProxySettings", "StrictJSON", .logging]),
        .tests("SupervisionTests", ["TestSupport", "Supervision"]),
        .tests("MetricFamiliesTests", ["MetricFamilies"]),
        .tests(
            "AdministrationTests",
            [
                "Administration", "KeySetFetching", "TokenIntrospection", "KeySets", "TokenVerification", "JOSE",
                "NetworkNames",
            ]),
        .tests(
            "GatewayAssemblyTests",
            [
                "TestSupport", "Denials", "GatewayAssembly", "ConfigurationFile", "KeySetFetching", "KeySets",
                "NetworkNames",
                "ProxySettings", "RequestAuthorization", "ReverseProxy", "SharedQuotas", "TransportSecurity",
                "TypedIndices",
                .logging,
            ],
        ),
        .tests(
            "EndToEndTests",
            [
                "TestSupport", "DevelopmentIssuer", "ProviderFixtures", "JOSESigning", "JOSE", .asyncHTTPClient,
                .nioCore, .nioHTTP1,
                .nioPosix,
            ],
        ),
        .tests("ProviderFixturesTests", ["ProviderFixtures", "JOSESigning", "JOSE", "StrictJSON"]),
        .tests(
            "DevelopmentIssuerTests",
            ["DevelopmentIssuer", "ProviderFixtures", "JOSE", "StrictJSON", .asyncHTTPClient, .nioCore, .nioHTTP1],
        ),
    ],
)

extension Target {
    /// A library target with the settings that every module has.
    static func module(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
        .target(name: name, dependencies: dependencies, swiftSettings: settings)
    }

    /// The tests of one module.
    static func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
        .testTarget(name: name, dependencies: dependencies, swiftSettings: settings)
    }
}

extension Target.Dependency {
    static let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
    static let asyncHTTPClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
    static let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
    static let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
    static let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
    static let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
    static let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
    static let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
    static let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
    static let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
    static let nioHPACK = Target.Dependency.product(name: "NIOHPACK", package: "swift-nio-http2")
    static let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")
    static let nioWebSocket = Target.Dependency.product(name: "NIOWebSocket", package: "swift-nio")
    static let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
    static let swiftProtobuf = Target.Dependency.product(name: "SwiftProtobuf", package: "swift-protobuf")
    static let systemPackage = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
    static let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
}
