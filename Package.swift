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

// A module imports everything it lists here, and nothing else of ours. The comment above an entry is the module's line in
// the map that `.ci/architecture --map` prints. `make lint` checks both.
let package = Package(
    name: "bearward",
    products: [
        .executable(name: "bearward", targets: ["bearward"]),
        .library(name: "TokenVerification", targets: ["TokenVerification", "JOSE"]),
        .library(name: "AccessControl", targets: ["AccessControl", "TokenVerification"]),
        .library(name: "KeySets", targets: ["KeySets", "NetworkNames"]),
        .library(
            name: "RequestAuthorization",
            targets: [
                "RequestAuthorization",
                "HTTPMessages",
                "KnownTokens",
                "Callers",
                "Quotas",
                "AccessControl",
                "KeySets",
                "TokenVerification",
                "NetworkNames",
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
        .systemLibrary(name: "CMalloc"),
        .target(name: "CBuildInfo", cSettings: [.define("BEARWARD_COMMIT", to: "\"\(commit)\"")]),

        // Bytes of a text compared with characters, eight at once.
        .module("ByteWords", []),
        // JSON texts of untrusted senders, parsed by Jansson within limits, without duplicate names.
        .module(
            "StrictJSON",
            [
                "ByteWords",
                "CJansson",
            ]),
        // YAML texts as trees with line and column, parsed by libyaml within limits.
        .module("YAMLTree", ["CYAML"]),
        // URLs, hosts, IP addresses and networks, compared as their RFCs compare them.
        .module("NetworkNames", []),
        // Files, descriptors and wake-ups of the operating system, and the words for its errors.
        .module(
            "Files",
            [
                "CDescriptors",
                .systemPackage,
            ]),
        // Metric families and their text for Prometheus.
        .module("MetricFamilies", []),
        // Tables of multiples of public keys, with which ECDSA verifies in a fraction of libcrypto's time (FIPS 186-5).
        .module("PrecomputedECDSA", ["COpenSSL"]),
        // Compact JWS, JWK and signature verification by libcrypto (RFC 7515, 7517, 7518).
        .module(
            "JOSE",
            [
                "ByteWords",
                "PrecomputedECDSA",
                "StrictJSON",
                "COpenSSL",
            ]),
        // Verification of a token: header, key, signature, times and claims, in one written order.
        .module(
            "TokenVerification",
            [
                "ByteWords",
                "JOSE",
                "NetworkNames",
                "StrictJSON",
            ]),
        // Policy as values: where resources are, their rules and requirements, CORS and the deny list.
        .module(
            "AccessControl",
            [
                "JOSE",
                "NetworkNames",
                "StrictJSON",
                "TokenVerification",
            ]),
        // Life of a cached key set: when to fetch, what to keep, when a key is unknown. A state machine without I/O.
        .module(
            "KeySets",
            [
                "JOSE",
                "MetricFamilies",
                "NetworkNames",
                "StrictJSON",
                "TokenVerification",
            ]),
        // What each identity provider writes into its tokens, and how its issuers are recognised.
        .module(
            "IssuerProfiles",
            [
                "JOSE",
                "KeySets",
                "NetworkNames",
                "StrictJSON",
                "TokenVerification",
            ]),
        // Introspection of opaque tokens: what is asked, what is cached, when to pause. A state machine without I/O.
        .module(
            "TokenIntrospection",
            [
                "JOSE",
                "KeySets",
                "MetricFamilies",
                "NetworkNames",
                "StrictJSON",
                "TokenVerification",
            ]),
        // Heads, fields and bodies of HTTP messages: parsed strictly, judged whole, written (RFC 9110, 9112).
        .module(
            "HTTPMessages",
            [
                "ByteWords",
                "NetworkNames",
            ]),
        // Identity headers for upstreams, and keys that count the requests of a caller.
        .module(
            "Callers",
            [
                "HTTPMessages",
                "JOSE",
                "NetworkNames",
                "StrictJSON",
                "TokenVerification",
            ]),
        // Quotas of callers, counted by GCRA.
        .module(
            "Quotas",
            [
                "Callers",
                "MetricFamilies",
                "NetworkNames",
                "TokenVerification",
            ]),
        // Cache of verified tokens, and the verdict about a cached one.
        .module(
            "KnownTokens",
            [
                "AccessControl",
                "Callers",
                "HTTPMessages",
                "JOSE",
                "KeySets",
                "MetricFamilies",
                "StrictJSON",
                "TokenVerification",
            ]),
        // The decision about one request: a function over values, without I/O or clock.
        .module(
            "RequestAuthorization",
            [
                "AccessControl",
                "ByteWords",
                "Callers",
                "HTTPMessages",
                "JOSE",
                "KeySets",
                "KnownTokens",
                "NetworkNames",
                "Quotas",
                "StrictJSON",
                "TokenIntrospection",
                "TokenVerification",
            ]),
        // Questions of nginx, HAProxy, Caddy, Traefik and Envoy (forward auth), read as requests.
        .target(
            name: "AuthorizationDoors",
            dependencies: [
                "ByteWords",
                "HTTPMessages",
                "RequestAuthorization",
                .swiftProtobuf,
            ],
            exclude: ["EnvoyMessages/check.proto"],
            swiftSettings: settings,
        ),
        // W3C Trace Context, which requests are recorded, and spans as the bytes of OTLP. Without I/O or clock.
        .module(
            "Telemetry",
            [
                "HTTPMessages",
                "NetworkNames",
            ]),
        // Heaviest callers of the last minutes, and the latest refusals, in bounded memory. Without I/O or clock.
        .module("RequestHistory", ["ByteWords"]),
        // The operators' page: its texts, and the state that it shows as a value. Without I/O or clock.
        .module(
            "OperatorConsole",
            [
                "MetricFamilies",
                "StrictJSON",
                "TokenVerification",
            ]),
        // Settings of the proxy as values: limits, timeouts, listeners, upstreams, logs.
        .module("ProxySettings", ["HTTPMessages"]),
        // The operational log with its closed list of members, and files and pipes that never delay a request.
        .module(
            "Logs",
            [
                "Files",
                "NetworkNames",
                "ProxySettings",
                "StrictJSON",
                .logging,
                .systemPackage,
            ]),
        // Load balancing: which target takes the next request, health, ejection, retries. A state machine without I/O.
        .module(
            "UpstreamFleets",
            [
                "NetworkNames",
                "ProxySettings",
            ]),
        // HTTP/2 connections as events and bytes, by libnghttp2, with limits on frames and memory.
        .module(
            "HTTP2Sessions",
            [
                "CNGHTTP2",
                .nioCore,
            ]),
        // Lookups of upstream names by their time to live, with c-ares on a thread.
        .module(
            "NameLookup",
            [
                "Files",
                "NetworkNames",
                "CARES",
            ]),
        // Certificates and keys for TLS, made ready for SwiftNIO.
        .module(
            "TransportSecurity",
            [
                "MetricFamilies",
                "ProxySettings",
                "TokenVerification",
                .nioCore,
                .nioSSL,
            ]),
        // Quotas and denials that several gateways share by Redis.
        .module(
            "SharedState",
            [
                "Files",
                "JOSE",
                "MetricFamilies",
                "Quotas",
                "CHiredis",
            ]),
        // Fetches of key sets and metadata, and introspection requests, over HTTPS.
        .module(
            "KeySetFetching",
            [
                "Files",
                "JOSE",
                "KeySets",
                "Logs",
                "MetricFamilies",
                "NetworkNames",
                "TokenIntrospection",
                "TokenVerification",
                "TransportSecurity",
                "CZlib",
                .asyncHTTPClient,
                .logging,
                .nioCore,
                .nioHTTP1,
                .nioPosix,
                .nioSSL,
                .systemPackage,
            ]),
        // Spans and metrics sent to a collector, as OTLP over HTTP.
        .target(
            name: "TelemetryExport",
            dependencies: [
                "HTTPMessages",
                "KeySetFetching",
                "Logs",
                "MetricFamilies",
                "Telemetry",
                .asyncHTTPClient,
                .logging,
                .nioCore,
                .nioHTTP1,
                .nioPosix,
                .nioSSL,
                .swiftProtobuf,
            ],
            exclude: ["Messages/otlp.proto"],
            swiftSettings: settings,
        ),
        // Connections, event loops, forwarding, upstream pools and health checks on SwiftNIO.
        .module(
            "ReverseProxy",
            [
                "AccessControl",
                "AuthorizationDoors",
                "Files",
                "HTTP2Sessions",
                "HTTPMessages",
                "JOSE",
                "KeySets",
                "KnownTokens",
                "Logs",
                "MetricFamilies",
                "NameLookup",
                "NetworkNames",
                "ProxySettings",
                "RequestAuthorization",
                "RequestHistory",
                "StrictJSON",
                "Telemetry",
                "TokenVerification",
                "TransportSecurity",
                "UpstreamFleets",
                "CMalloc",
                .logging,
                .nioCore,
                .nioHTTP1,
                .nioPosix,
                .nioSSL,
                .nioTLS,
                .nioWebSocket,
                .systemPackage,
            ]),
        // The operator's file: read, checked, explained, and documented from one table of keys.
        .module(
            "ConfigurationFile",
            [
                "AccessControl",
                "AuthorizationDoors",
                "Callers",
                "Files",
                "HTTPMessages",
                "IssuerProfiles",
                "JOSE",
                "KeySets",
                "NetworkNames",
                "ProxySettings",
                "Quotas",
                "RequestAuthorization",
                "StrictJSON",
                "Telemetry",
                "TokenIntrospection",
                "TokenVerification",
                "YAMLTree",
                .systemPackage,
            ]),
        // The admin listener: health, metrics, upstreams, denials.
        .module(
            "Administration",
            [
                "JOSE",
                "KeySetFetching",
                "KeySets",
                "MetricFamilies",
                "NetworkNames",
                "OperatorConsole",
                "StrictJSON",
                "TokenIntrospection",
                "TokenVerification",
                .httpTypes,
                .hummingbird,
                .hummingbirdCore,
                .logging,
                .nioCore,
            ]),
        // Life of the deny list: read, saved, shared and put in force.
        .module(
            "Denials",
            [
                "AccessControl",
                "Administration",
                "Files",
                "KeySetFetching",
                "KeySets",
                "Logs",
                "MetricFamilies",
                "SharedState",
                "StrictJSON",
                "TokenVerification",
                .logging,
                .nioPosix,
                .systemPackage,
            ]),
        // A running gateway: a configuration in force with all its parts, reloads and upgrades.
        .module(
            "GatewayAssembly",
            [
                "AccessControl",
                "Administration",
                "ConfigurationFile",
                "Denials",
                "JOSE",
                "KeySetFetching",
                "KeySets",
                "KnownTokens",
                "Logs",
                "MetricFamilies",
                "NetworkNames",
                "OperatorConsole",
                "ProxySettings",
                "Quotas",
                "RequestAuthorization",
                "ReverseProxy",
                "SharedState",
                "Telemetry",
                "TelemetryExport",
                "TokenIntrospection",
                "TokenVerification",
                "TransportSecurity",
                "CBuildInfo",
                .logging,
                .nioCore,
            ]),
        // The supervisor process: starts workers, replaces them, hands over sockets.
        .module(
            "Supervision",
            [
                "Files",
                "CDescriptors",
                .systemPackage,
            ]),
        // Decisions about claims that nobody signed, to try out a policy. The gateway does not link it.
        .module(
            "AssumedTokens",
            [
                "AccessControl",
                "HTTPMessages",
                "JOSE",
                "KeySets",
                "RequestAuthorization",
                "StrictJSON",
                "TokenVerification",
            ]),
        // `bearward test` and `bearward diff`: expected answers, seeded mistakes, and requests that tell two policies apart.
        .module(
            "PolicyTrials",
            [
                "AccessControl",
                "AssumedTokens",
                "Callers",
                "ConfigurationFile",
                "Files",
                "HTTPMessages",
                "IssuerProfiles",
                "JOSE",
                "ProxySettings",
                "RequestAuthorization",
                "StrictJSON",
                "TokenVerification",
            ]),
        // The program: `serve`, `check`, `explain`, `test`, `diff`, `init` and the other commands.
        .executableTarget(
            name: "bearward",
            dependencies: [
                "AccessControl",
                "AuthorizationDoors",
                "ConfigurationFile",
                "Denials",
                "Files",
                "GatewayAssembly",
                "HTTPMessages",
                "IssuerProfiles",
                "JOSE",
                "KeySetFetching",
                "KeySets",
                "Logs",
                "OperatorConsole",
                "PolicyTrials",
                "ProxySettings",
                "RequestAuthorization",
                "ReverseProxy",
                "StrictJSON",
                "Supervision",
                "TokenIntrospection",
                "TokenVerification",
                "TransportSecurity",
                .argumentParser,
                .asyncHTTPClient,
                .logging,
                .nioCore,
                .nioHTTP1,
                .systemPackage,
                .unixSignals,
            ],
            swiftSettings: settings,
        ),
        // Signs tokens, for development and tests. The gateway does not link it.
        .module(
            "JOSESigning",
            [
                "JOSE",
                "StrictJSON",
                "COpenSSL",
            ]),
        // Tokens and key sets like those of each identity provider, for tests and rehearsals.
        .module(
            "ProviderFixtures",
            [
                "IssuerProfiles",
                "JOSE",
                "JOSESigning",
                "StrictJSON",
            ]),
        // An issuer and a sample shop, for development.
        .module(
            "DevelopmentIssuer",
            [
                "Files",
                "JOSE",
                "JOSESigning",
                "NetworkNames",
                "ProviderFixtures",
                "StrictJSON",
                .httpTypes,
                .hummingbird,
                .logging,
                .nioCore,
                .systemPackage,
            ]),
        // The developer's program: `demo`, `issuer`, `shop`, `token`, `rehearse`.
        .executableTarget(
            name: "bearward-dev",
            dependencies: [
                "ConfigurationFile",
                "DevelopmentIssuer",
                "Files",
                "GatewayAssembly",
                "JOSESigning",
                "KeySetFetching",
                "Logs",
                "ProviderFixtures",
                "ProxySettings",
                "StrictJSON",
                "TransportSecurity",
                .argumentParser,
                .asyncHTTPClient,
                .nioCore,
                .nioHTTP1,
                .systemPackage,
                .unixSignals,
            ],
            swiftSettings: settings,
        ),
        // Waits, ports, folders and tokens that several suites share.
        .target(
            name: "TestSupport",
            dependencies: [
                "JOSE",
                "JOSESigning",
            ],
            path: "Tests/TestSupport",
            swiftSettings: settings,
        ),
        // A second judge of requests, written from the documents; imports nothing of what it is compared with.
        .target(
            name: "PolicyOracle",
            path: "Tests/PolicyOracle",
            swiftSettings: settings,
        ),
        // Entry points of the fuzzers.
        .target(
            name: "FuzzTargets",
            dependencies: [
                "AccessControl",
                "ConfigurationFile",
                "HTTPMessages",
                "JOSE",
                "NetworkNames",
                "ProxySettings",
                "StrictJSON",
                "TokenVerification",
            ],
            path: "Tests/FuzzTargets",
            swiftSettings: settings,
        ),
        // Fuzzed comparisons with the parsers of others.
        .target(
            name: "FuzzComparisons",
            dependencies: [
                "FuzzTargets",
                "HTTP2Sessions",
                "HTTPMessages",
                .nioCore,
                .nioEmbedded,
                .nioHTTP1,
            ],
            path: "Tests/FuzzComparisons",
            swiftSettings: settings,
        ),

        .tests(
            "AccessControlTests",
            [
                "AccessControl",
                "JOSE",
                "TestSupport",
                "TokenVerification",
            ]),
        .tests(
            "AdministrationTests",
            [
                "Administration",
                "JOSE",
                "KeySetFetching",
                "KeySets",
                "NetworkNames",
                "TokenIntrospection",
                "TokenVerification",
                .httpTypes,
                .hummingbird,
                .logging,
                .nioCore,
                .nioEmbedded,
            ]),
        .tests(
            "AssumedTokensTests",
            [
                "AssumedTokens",
                "ConfigurationFile",
                "HTTPMessages",
                "JOSE",
                "ProviderFixtures",
                "ProxySettings",
                "RequestAuthorization",
                "StrictJSON",
                "TokenVerification",
            ]),
        .tests(
            "AuthorizationDoorsTests",
            [
                "AuthorizationDoors",
                "HTTPMessages",
                "RequestAuthorization",
                "TestSupport",
                .swiftProtobuf,
            ]),
        .tests(
            "ByteWordsTests",
            [
                "ByteWords",
                "TestSupport",
            ]),
        .tests(
            "ConfigurationFileTests",
            [
                "AccessControl",
                "Callers",
                "ConfigurationFile",
                "HTTPMessages",
                "IssuerProfiles",
                "JOSE",
                "KeySets",
                "NetworkNames",
                "ProviderFixtures",
                "ProxySettings",
                "RequestAuthorization",
                "Telemetry",
                "TestSupport",
                "TokenIntrospection",
                "TokenVerification",
                "TransportSecurity",
            ]),
        .tests(
            "DenialsTests",
            [
                "AccessControl",
                "Administration",
                "Denials",
                "Files",
                "JOSE",
                "KeySets",
                "SharedState",
                "TestSupport",
                "TokenVerification",
            ]),
        .tests(
            "DevelopmentIssuerTests",
            [
                "DevelopmentIssuer",
                "JOSE",
                "ProviderFixtures",
                "StrictJSON",
                .asyncHTTPClient,
                .nioCore,
                .nioHTTP1,
            ]),
        .tests(
            "DocumentationTests",
            [
                "AccessControl",
                "ConfigurationFile",
                "Denials",
                "GatewayAssembly",
                "JOSE",
                "JOSESigning",
                "KeySetFetching",
                "KeySets",
                "KnownTokens",
                "Logs",
                "MetricFamilies",
                "ProxySettings",
                "Quotas",
                "RequestAuthorization",
                "ReverseProxy",
                "SharedState",
                "Telemetry",
                "TelemetryExport",
                "TestSupport",
                "TokenIntrospection",
                "TokenVerification",
                "TransportSecurity",
                .logging,
            ]),
        .tests(
            "EndToEndTests",
            [
                "DevelopmentIssuer",
                "JOSE",
                "JOSESigning",
                "ProviderFixtures",
                "TestSupport",
                .asyncHTTPClient,
                .nioCore,
                .nioHTTP1,
                .nioPosix,
            ]),
        .tests(
            "FilesTests",
            [
                "Files",
                "TestSupport",
                .systemPackage,
            ]),
        .tests(
            "FleetSimulationTests",
            [
                "AccessControl",
                "Callers",
                "Denials",
                "HTTPMessages",
                "JOSE",
                "JOSESigning",
                "KeySets",
                "KnownTokens",
                "Quotas",
                "RequestAuthorization",
                "SharedState",
                "TestSupport",
                "TokenVerification",
            ]),
        .tests(
            "FuzzTargetsTests",
            [
                "FuzzComparisons",
                "FuzzTargets",
                "TestSupport",
            ]),
        .tests(
            "GatewayAssemblyTests",
            [
                "ConfigurationFile",
                "Denials",
                "GatewayAssembly",
                "JOSE",
                "JOSESigning",
                "KeySetFetching",
                "KeySets",
                "KnownTokens",
                "NetworkNames",
                "PrecomputedECDSA",
                "ProxySettings",
                "RequestAuthorization",
                "ReverseProxy",
                "SharedState",
                "TestSupport",
                "TokenVerification",
                "TransportSecurity",
                .asyncHTTPClient,
                .logging,
                .nioCore,
                .nioHTTP1,
            ]),
        .tests(
            "HTTP2SessionsTests",
            [
                "HTTP2Sessions",
                "TestSupport",
                .nioCore,
            ]),
        .tests(
            "HTTPMessagesTests",
            [
                "HTTPMessages",
                "NetworkNames",
                "TestSupport",
                .nioCore,
                .nioEmbedded,
                .nioHTTP1,
            ]),
        .tests(
            "IssuerProfilesTests",
            [
                "AccessControl",
                "IssuerProfiles",
                "JOSE",
                "KeySets",
                "ProviderFixtures",
                "StrictJSON",
                "TokenVerification",
            ]),
        .tests(
            "JOSETests",
            [
                "JOSE",
                "JOSESigning",
                "PrecomputedECDSA",
                "StrictJSON",
                "TestSupport",
            ]),
        .tests(
            "KeySetFetchingTests",
            [
                "Files",
                "JOSE",
                "KeySetFetching",
                "KeySets",
                "NetworkNames",
                "StrictJSON",
                "TestSupport",
                "TokenIntrospection",
                "TokenVerification",
                .logging,
                .nioCore,
                .nioHTTP1,
                .nioPosix,
                .nioSSL,
                .systemPackage,
            ]),
        .tests(
            "KeySetsTests",
            [
                "JOSE",
                "KeySets",
                "NetworkNames",
                "StrictJSON",
                "TestSupport",
                "TokenVerification",
            ]),
        .tests(
            "KnownTokensTests",
            [
                "JOSE",
                "KnownTokens",
                "StrictJSON",
                "TestSupport",
                "TokenVerification",
            ]),
        .tests(
            "LogsTests",
            [
                "Logs",
                "ProxySettings",
                "StrictJSON",
                "TestSupport",
                .logging,
            ]),
        .tests("MetricFamiliesTests", ["MetricFamilies"]),
        .tests(
            "NameLookupTests",
            [
                "NameLookup",
                "NetworkNames",
                "TestSupport",
                .nioCore,
                .nioPosix,
            ]),
        .tests("NetworkNamesTests", ["NetworkNames"]),
        .tests(
            "OperatorConsoleTests",
            [
                "OperatorConsole",
                "StrictJSON",
                "TokenVerification",
            ]),
        .tests(
            "PolicyOracleTests",
            [
                "AssumedTokens",
                "ConfigurationFile",
                "HTTPMessages",
                "PolicyOracle",
                "ProxySettings",
                "RequestAuthorization",
                "TestSupport",
                "TokenVerification",
            ]),
        .tests(
            "PolicyTrialsTests",
            [
                "AccessControl",
                "AssumedTokens",
                "ConfigurationFile",
                "Files",
                "HTTPMessages",
                "IssuerProfiles",
                "JOSE",
                "PolicyTrials",
                "ProviderFixtures",
                "ProxySettings",
                "RequestAuthorization",
                "StrictJSON",
                "TestSupport",
                "TokenVerification",
            ]),
        .tests(
            "PrecomputedECDSATests",
            [
                "COpenSSL",
                "JOSE",
                "PrecomputedECDSA",
                "TestSupport",
            ]),
        .tests(
            "ProviderFixturesTests",
            [
                "JOSE",
                "JOSESigning",
                "ProviderFixtures",
                "StrictJSON",
            ]),
        .tests(
            "QuotasTests",
            [
                "Quotas",
                "TestSupport",
            ]),
        .tests(
            "RequestAuthorizationTests",
            [
                "AccessControl",
                "Callers",
                "HTTPMessages",
                "JOSE",
                "JOSESigning",
                "KeySets",
                "KnownTokens",
                "Quotas",
                "RequestAuthorization",
                "TestSupport",
                "TokenIntrospection",
                "TokenVerification",
            ]),
        .tests(
            "RequestHistoryTests",
            [
                "RequestHistory",
                "TestSupport",
            ]),
        .tests(
            "ReverseProxyTests",
            [
                "AccessControl",
                "AuthorizationDoors",
                "Callers",
                "HTTP2Sessions",
                "HTTPMessages",
                "JOSE",
                "KeySets",
                "KnownTokens",
                "MetricFamilies",
                "NameLookup",
                "NetworkNames",
                "ProxySettings",
                "RequestAuthorization",
                "RequestHistory",
                "ReverseProxy",
                "Telemetry",
                "TestSupport",
                "TokenVerification",
                "TransportSecurity",
                "UpstreamFleets",
                "COpenSSL",
                .logging,
                .nioCore,
                .nioEmbedded,
                .nioHPACK,
                .nioPosix,
                .nioSSL,
                .nioTLS,
                .swiftProtobuf,
            ]),
        .tests(
            "SharedStateTests",
            [
                "Files",
                "Quotas",
                "SharedState",
                "TestSupport",
                .nioCore,
                .nioPosix,
            ]),
        .tests(
            "StrictJSONTests",
            [
                "StrictJSON",
                "TestSupport",
            ]),
        .tests(
            "SupervisionTests",
            [
                "Supervision",
                "TestSupport",
            ]),
        .tests(
            "TelemetryExportTests",
            [
                "KeySetFetching",
                "MetricFamilies",
                "NetworkNames",
                "Telemetry",
                "TelemetryExport",
                "TestSupport",
                .logging,
                .nioCore,
                .nioHTTP1,
                .nioPosix,
                .swiftProtobuf,
            ]),
        .tests(
            "TelemetryTests",
            [
                "Telemetry",
                "TestSupport",
            ]),
        .tests(
            "TokenIntrospectionTests",
            [
                "JOSE",
                "KeySets",
                "NetworkNames",
                "StrictJSON",
                "TokenIntrospection",
                "TokenVerification",
            ]),
        .tests(
            "TokenVerificationTests",
            [
                "JOSE",
                "JOSESigning",
                "StrictJSON",
                "TestSupport",
                "TokenVerification",
            ]),
        .tests(
            "TransportSecurityTests",
            [
                "ProxySettings",
                "TestSupport",
                "TransportSecurity",
            ]),
        .tests(
            "UpstreamFleetsTests",
            [
                "ProxySettings",
                "TestSupport",
                "UpstreamFleets",
            ]),
        .tests("YAMLTreeTests", ["YAMLTree"]),
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
