import AccessControl
import Callers
import ConfigurationFile
import HTTPMessages
import JOSE
import KeySets
import NetworkNames
import ProxySettings
import RequestAuthorization
import TestSupport
import Testing
import TokenVerification

/// The file of the operator's guide, as far as it does without profiles.
struct ConfigurationTests {
    static let text = """
        listen: [127.0.0.1:8080, "[::1]:8080"]
        admin: 127.0.0.1:9901
        event_loops: 2
        access_log: logs/access.json
        token_cache: 64MiB
        state_directory: /var/lib/bearward
        trusted_proxies: [10.0.0.0/8]

        issuers:
          customers:
            issuer: https://id.customers.example/
            jwks_file: ./keys.json
            token_type: {claim: token_use, value: [access, 1]}
            scope_claims: [permissions]
            role_claims: [realm_access.roles]
            client_claims: [azp]
            clients: [app, back-office]
            leeway: 30s
            max_lifetime: 24h
            allow_missing_kid: true
            denied_keys: [280998627474669570, no]
            ca_file: ca.pem
          partner:
            issuer: https://id.partner.example
            jwks_uri: https://id.partner.example/keys
            algorithms: [ES256, EdDSA]
            token_type: at+jwt

        policies:
          sales: {all_of: [shopping:write], claims: {department: [sales, support]}, clients: [back-office]}

        resources:
          https://shopping.your-app.com/api:
            issuers: [partner]
            upstream: http://127.0.0.1:9000
            rules:
              GET /orders/**: shopping:read
              POST /orders: shopping:write
              DELETE /orders/{id}: shopping:write shopping:admin
              GET /catalog/**: {any_of: [shopping:read, store:read]}
              PATCH /orders/{id}: {policy: sales}
              GET /me: authenticated
              GET,HEAD /status: {public: true}
            forward:
              authorization: strip
              identity: {subject: X-Auth-Subject, scopes: X-Auth-Scope, client: X-Auth-Client}
              claims: {/address/city: X-City}
          orders:
            audiences: {customers: [0d9e4c21-77b3-4f6a-8f12-3c5be0a94d70], partner: [orders, shop]}
            at: [api.example.com/orders, /orders]
            issuers: [partner, customers]
            upstream: {/: "http://127.0.0.1:9001/base/", /eu: [http://127.0.0.1:9002, "http://[::1]"]}
            upstream_host: orders.internal
            strip_prefix: true
            path_parameters: keep
            encoded_slashes: keep
            forward: {authorization: keep}
            rules:
              ANY /{org}/**: {roles: [admin, staff], organization: "{org}", acr: gold, max_age: 5m, all_of: [Orders.ReadWrite]}

        limits: {head: 64KiB, fields: 50, body: 1MiB, in_flight: 9, waiting_for_keys: 7, replay: 8KiB, replay_total: 1MiB}
        timeouts: {connect: 500ms, drain: 1m}
        """

    private static let warned = ["state_directory", "issuers.customers.allow_missing_kid"]

    static func load() throws -> Configuration {
        let result = Configuration.load(text: text, directory: ProblemCase.directory, environment: [:])
        // Whether the directory can be used depends on the user who runs the test.
        #expect(result.problems.allSatisfy { Self.warned.contains($0.keyPath) })
        #expect(result.problems.allSatisfy { $0.severity == .warning })
        guard case .success(let configuration, _) = result else { throw Refused() }
        return configuration
    }

    struct Refused: Error {}

    @Test func `listeners and process settings are read as written`() throws {
        let configuration = try Self.load()
        #expect(configuration.listen.map(\.address.host) == ["127.0.0.1", "::1"])
        #expect(configuration.listen.map(\.address.text) == ["127.0.0.1:8080", "[::1]:8080"])
        #expect(configuration.admin == ListenAddress("127.0.0.1:9901"))
        #expect(configuration.eventLoops == 2)
        #expect(configuration.accessLog.destination == .file(path: ProblemCase.directory + "/logs/access.json"))
        #expect(configuration.tokenCache == 64 * 1024 * 1024)
        #expect(configuration.stateDirectory == "/var/lib/bearward")
        #expect(configuration.trustedProxies == [AddressRange("10.0.0.0/8")])
    }

    @Test func `limits and time-outs are read as written, and the others have their defaults`() throws {
        let configuration = try Self.load()
        var limits = ProxyLimits()
        limits.head.head = 64 * 1024
        limits.head.fields = 50
        limits.body = 1024 * 1024
        limits.inFlight = 9
        limits.waitingForKeys = 7
        limits.replay = 8 * 1024
        limits.replayTotal = 1024 * 1024
        limits.head.readFields = configuration.limits.head.readFields
        #expect(configuration.limits == limits)
        #expect(configuration.limits.head.readFields.contains { $0.resembles("x-auth-subject".utf8.span) })
        #expect(configuration.timeouts == ProxyTimeouts(connect: .milliseconds(500), drain: .seconds(60)))
    }

    @Test(
        arguments: [
            ("", 100), ("limits: {body: 1MiB}", 100), ("limits: {failed_verifications_per_address: 7}", 7),
            ("limits: {failed_verifications_per_address: off}", nil),
        ] as [(String, Int?)])
    func `failed verifications are limited unless the file says off`(_ line: String, _ expected: Int?) throws {
        let text = Self.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            .map { $0.hasPrefix("limits:") ? line : $0 }.joined(separator: "\n")
        let result = Configuration.load(text: text, directory: ProblemCase.directory, environment: [:])
        guard case .success(let configuration, _) = result else { throw Refused() }
        #expect(configuration.limits.failedVerificationsPerAddress == expected)
    }

    @Test(
        arguments: [
            ("", .fair), ("limits: {in_flight: 9}", .fair), ("limits: {in_flight_per_address: 7}", .atMost(7)),
            ("limits: {in_flight_per_address: off}", .unbounded),
        ] as [(String, AddressShare)])
    func `requests in flight are limited per client as the file says`(_ line: String, _ expected: AddressShare)
        throws
    {
        let text = Self.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            .map { $0.hasPrefix("limits:") ? line : $0 }.joined(separator: "\n")
        let result = Configuration.load(text: text, directory: ProblemCase.directory, environment: [:])
        guard case .success(let configuration, _) = result else { throw Refused() }
        #expect(configuration.limits.inFlightPerAddress == expected)
    }

    @Test func `an issuer has all settings that the file gives it`() throws {
        let issuers = try Self.load().issuers
        var customers = TrustedIssuer(
            name: "customers", identifier: "https://id.customers.example/", algorithms: [.rs256, .es256],
            tokenType: .claims([.oneOf(try ClaimPath("token_use"), [.string("access"), .integer(1)])]),
        )
        customers.scopeClaims = [try ClaimPath("permissions")]
        customers.roleClaims = [RoleClaim(try ClaimPath("realm_access.roles"))]
        customers.clientClaims = [try ClaimPath("azp")]
        customers.clients = ["app", "back-office"]
        customers.leeway = .seconds(30)
        customers.maxLifetime = .seconds(86_400)
        customers.allowsMissingKeyID = true
        customers.deniedKeys = ["280998627474669570", "no"]
        let directory = ProblemCase.directory
        var keys = KeySetConfiguration(
            source: .file(path: directory + "/keys.json"), issuer: "https://id.customers.example/",
            caFile: directory + "/ca.pem",
        )
        keys.waitingLimit = 7
        #expect(issuers.first?.trusted == customers)
        #expect(issuers.first?.keySets == [keys])
        #expect(issuers.allSatisfy { $0.introspection == nil })
    }

    @Test func `an issuer has the defaults for settings that are not in the file`() throws {
        let issuers = try Self.load().issuers
        let partner = TrustedIssuer(
            name: "partner", identifier: "https://id.partner.example", algorithms: [.es256, .ed25519, .ed448],
            tokenType: .accessTokenJWT,
        )
        var keys = KeySetConfiguration(
            source: .jwkSetURL("https://id.partner.example/keys"), issuer: "https://id.partner.example")
        keys.waitingLimit = 7
        #expect(issuers.last?.trusted == partner)
        #expect(issuers.last?.keySets == [keys])
        #expect(partner.leeway == .seconds(60))
    }

    @Test func `a resource whose identifier is a URL has it as place and audience`() throws {
        let configuration = try Self.load()
        let shop = try #require(configuration.protectedResources.first)
        #expect(shop.identifier == "https://shopping.your-app.com/api")
        #expect(shop.places == [try PlacePattern(at: "shopping.your-app.com/api")])
        #expect(shop.issuers == [AcceptedIssuer(issuer: 1, audiences: ["https://shopping.your-app.com/api"])])
        #expect(!shop.keepsAuthorization)
        #expect(!shop.stripsPrefix)
        #expect(!shop.keepsPathParameters)
        #expect(shop.encodedSlashes == .refuse)
    }

    @Test func `rules are in file order, with their names as written`() throws {
        let configuration = try Self.load()
        let shop = try #require(configuration.protectedResources.first)
        let names = [
            "GET /orders/**", "POST /orders", "DELETE /orders/{id}", "GET /catalog/**", "PATCH /orders/{id}", "GET /me",
            "GET,HEAD /status",
        ]
        #expect(configuration.resources.map { $0.rules.map(\.name) } == [names, ["ANY /{org}/**"]])
        #expect(Array(shop.routes.routes) == (try names.map { try RoutePattern($0) }))
        #expect(
            shop.policies == [
                .requiring([.allScopes(["shopping:read"])]),
                .requiring([.allScopes(["shopping:write"])]),
                .requiring([.allScopes(["shopping:write", "shopping:admin"])]),
                .requiring([.anyScope(["shopping:read", "store:read"])]),
                .requiring([
                    .allScopes(["shopping:write"]),
                    .claim(try ClaimPath("department"), oneOf: [.string("sales"), .string("support")]),
                    .client(oneOf: ["back-office"]),
                ]),
                .requiring([]),
                .public,
            ]
        )
    }

    @Test func `identity headers are read as written`() throws {
        let shop = try #require(try Self.load().protectedResources.first)
        let fields: [(IdentityValue, String)] = [
            (.subject, "X-Auth-Subject"), (.scopes, "X-Auth-Scope"), (.client, "X-Auth-Client"),
            (.claim(try ClaimPath("/address/city")), "X-City"),
        ]
        let expected = try fields.map { value, name in IdentityField(value, name: try #require(FieldName(name))) }
        #expect(shop.identityFields == expected)
    }

    @Test func `a resource with a name has the places, audiences and requirements of the file`() throws {
        let orders = try #require(try Self.load().protectedResources.last)
        #expect(orders.places == [try PlacePattern(at: "api.example.com/orders"), try PlacePattern(at: "/orders")])
        #expect(
            orders.issuers == [
                AcceptedIssuer(issuer: 1, audiences: ["orders", "shop"]),
                AcceptedIssuer(issuer: 0, audiences: ["0d9e4c21-77b3-4f6a-8f12-3c5be0a94d70"]),
            ]
        )
        #expect(
            orders.policies == [
                .requiring([
                    .organization(inPath: "org"), .allScopes(["Orders.ReadWrite"]),
                    .anyRole(["admin", "staff"]),
                    .authenticationContext(oneOf: ["gold"]), .maxAge(.seconds(300)),
                ])
            ]
        )
        #expect(orders.keepsAuthorization)
        #expect(orders.stripsPrefix)
        #expect(orders.keepsPathParameters)
        #expect(orders.encodedSlashes == .keep)
    }

    @Test func `upstreams are numbered across all resources`() throws {
        let configuration = try Self.load()
        #expect(configuration.protectedResources.map(\.upstreams) == [[0], [1, 2]])
        #expect(
            configuration.protectedResources.map { $0.upstreamRoutes.routes.map(\.description) } == [
                ["ANY /**"], ["ANY /**", "ANY /eu/**"],
            ])
        #expect(
            configuration.upstreams == [
                UpstreamGroup(targets: [UpstreamTarget(host: "127.0.0.1", port: 9000)]),
                UpstreamGroup(
                    targets: [UpstreamTarget(host: "127.0.0.1", port: 9001)], basePath: Array("/base".utf8),
                    hostOverride: "orders.internal",
                ),
                UpstreamGroup(
                    targets: [UpstreamTarget(host: "127.0.0.1", port: 9002), UpstreamTarget(host: "::1", port: 80)],
                    hostOverride: "orders.internal",
                ),
            ]
        )
    }

    @Test func `a request authorizer can be built from the configuration`() throws {
        let configuration = try Self.load()
        let issuers = configuration.issuers.mapped {
            IssuerKeyStores(
                issuer: $0.trusted, stores: $0.keySets.mapped { KeySetStore(KeySetSnapshot(staleLimit: $0.staleLimit)) }
            )
        }
        let authorizer = try RequestAuthorizer(resources: configuration.protectedResources, issuers: issuers)
        #expect(authorizer.resources.count == 2)
    }

    @Test func `a minimal file has the defaults`() throws {
        let text = "resources: {status: {at: /, upstream: 'http://127.0.0.1:9000', rules: {ANY /**: {public: true}}}}"
        guard
            case .success(let configuration, let warnings) = Configuration.load(
                text: text, directory: "", environment: [:])
        else {
            throw Refused()
        }
        #expect(warnings == [])
        #expect(configuration.listen.map(\.address.text) == ["127.0.0.1:8080"])
        #expect(configuration.admin == nil)
        #expect(configuration.eventLoops == nil)
        #expect(configuration.accessLog.destination == .stdout)
        #expect(configuration.tokenCache == 128 * 1024 * 1024)
        #expect(configuration.stateDirectory == nil)
        #expect(configuration.trustedProxies == [])
        #expect(configuration.limits == ProxyLimits())
        #expect(configuration.timeouts == ProxyTimeouts())
        #expect(
            configuration.limits.head
                == HeadLimits(head: 32 * 1024, field: 8192, authorization: 16 * 1024, fields: 100, target: 8192))
        #expect(configuration.issuers.isEmpty)
    }

    @Test func `claim values have the types that the file gives them`() throws {
        let values = "[no, 0x10, 007, '1', 1, -1, 1.5, 1e3, true, 'true', 280998627474669570, ${N}]"
        let text = """
            issuers: {a: {issuer: "https://a.example", token_type: any}}
            resources: {b: {at: /, issuers: a, upstream: "http://127.0.0.1:9", rules: {GET /: {claims: {c: \(values.replacing("${N}", with: "\"${N}\""))}}}}}
            """
        guard
            case .success(let configuration, _) = Configuration.load(text: text, directory: "", environment: ["N": "7"])
        else {
            throw Refused()
        }
        let expected: [ClaimScalar] = [
            .string("no"), .string("0x10"), .string("007"), .string("1"), .integer(1), .integer(-1), .real(1.5),
            .real(1000),
            .boolean(true),
            .string("true"), .integer(280_998_627_474_669_570), .string("7"),
        ]
        #expect(
            configuration.protectedResources.first?.policies == [
                .requiring([.claim(try ClaimPath("c"), oneOf: expected)])
            ])
    }

    @Test func `an integer value of an identifying claim is compared as its digits, as in tokens`() throws {
        let rules = """
            {GET /: {claims: {sub: [9007199254740993, "7", 1.5], act.sub: 7, level: 7}, not: {claims: {/client_id: [8, {glob: "x*"}]}}}}
            """
        let text = """
            issuers: {a: {issuer: "https://a.example", token_type: {claim: azp, value: 5}}}
            resources: {b: {at: /, issuers: a, upstream: "http://127.0.0.1:9", rules: \(rules)}}
            """
        guard case .success(let configuration, _) = Configuration.load(text: text, directory: "", environment: [:])
        else {
            throw Refused()
        }
        let client = ClaimChoice(values: [.string("8")], patterns: [try ClaimPattern("x*")])
        let expected: [Requirement] = [
            .claim(ClaimPath(member: "sub"), oneOf: [.string("9007199254740993"), .string("7"), .real(1.5)]),
            .claim(try ClaimPath("act.sub"), oneOf: [.integer(7)]),
            .claim(ClaimPath(member: "level"), oneOf: [.integer(7)]),
            .claimOtherThan(try ClaimPath("/client_id"), client),
        ]
        #expect(configuration.protectedResources.first?.policies == [.requiring(expected)])
        #expect(
            configuration.issuers.first?.trusted.tokenType
                == .claims([.oneOf(ClaimPath(member: "azp"), [.string("5")])]))
    }

    @Test func `a YAML scalar is a number if JSON reads it as one, otherwise text`() throws {
        let numbers = ["0", "-0", "10", "0.5", "-0.25", "1e2", "1E+2", "100e-2", "1.5e1"]
        let texts = [
            "1.e3", "01", "-01", "00", "1e", "1e+", "1ex", "1.5.5", "1e5.5", "\u{661}", "1x", "+1", "0.", "--1",
        ]
        let list = (numbers + texts).joined(separator: ", ")
        let text = """
            issuers: {a: {issuer: "https://a.example", token_type: any}}
            resources: {b: {at: /, issuers: a, upstream: "http://127.0.0.1:9", rules: {GET /: {claims: {c: [\(list)]}}}}}
            """
        guard case .success(let configuration, _) = Configuration.load(text: text, directory: "", environment: [:])
        else {
            throw Refused()
        }
        let expected: [ClaimScalar] = [
            .integer(0), .integer(0), .integer(10), .real(0.5), .real(-0.25), .real(100), .real(100), .real(1),
            .real(15),
        ]
        #expect(
            configuration.protectedResources.first?.policies == [
                .requiring([.claim(try ClaimPath("c"), oneOf: expected + texts.map { .string($0) })])
            ])
    }

    @Test(arguments: [
        ("event_loops: 2", "event_loops: 3", ["event_loops"]),
        ("listen: [127.0.0.1:8080,", "listen: [127.0.0.1:8081,", ["listen"]),
        ("admin: 127.0.0.1:9901", "admin: 127.0.0.1:9902", ["admin"]),
        ("admin: 127.0.0.1:9901\n", "", ["admin"]),
        ("state_directory: /var/lib/bearward", "state_directory: /var/lib/other", ["state_directory"]),
        ("token_cache: 64MiB", "token_cache: 0", []),
        ("shopping:read", "shop:read", []),
    ])
    func `a change that needs a restart is reported`(_ written: String, _ changed: String, _ keys: [String]) throws {
        let text = Self.text.replacing(written, with: changed)
        #expect(text != Self.text)
        guard
            case .success(let new, _) = Configuration.load(
                text: text, directory: ProblemCase.directory, environment: [:])
        else {
            throw Refused()
        }
        #expect(new.restartOnlyChanges(from: try Self.load()) == keys)
    }

    // MARK: Saying the same

    private static func load(_ text: String, _ environment: [String: String] = [:]) throws -> Configuration {
        guard
            case .success(let configuration, _) = Configuration.load(
                text: text, directory: "/", environment: environment)
        else {
            throw Refused()
        }
        return configuration
    }

    private static let short = """
        issuers:
          one: {issuer: "https://a.example", jwks_uri: "https://a.example/keys", token_type: at+jwt}
        resources:
          https://b.example:
            issuers: [one]
            upstream: http://127.0.0.1:9000
            rules: {GET /a: {claims: {city: ["caf\u{e9}", b]}}}
        """

    @Test func `layout and comments do not change the configuration`() throws {
        let laidOut = Self.short.replacing("[one]", with: "\n    - one")
        let other = laidOut.replacing("{GET /a: {", with: "{ GET /a:  { # for the shop\n        ")
        #expect(try Self.load(Self.short).saysTheSame(as: Self.load(other)))
    }

    @Test(arguments: [
        ("caf\u{e9}", "cafe\u{301}"), ("[\"caf\u{e9}\", b]", "[b, \"caf\u{e9}\"]"), ("b]", "\"b\"]"),
        ("at+jwt", "\"at+jwt\""),
        ("GET /a", "GET /b"), ("city", "cit"), (", b]", ", c, b]"), (", b]", "]"),
        ("upstream:", "strip_prefix: false\n    upstream:"),
    ])
    func `every changed value makes a different configuration`(_ written: String, _ replacement: String) throws {
        let other = Self.short.replacing(written, with: replacement)
        #expect(!other.utf8.elementsEqual(Self.short.utf8))
        #expect(try !Self.load(Self.short).saysTheSame(as: Self.load(other)))
    }

    @Test func `a changed environment variable makes a different configuration`() throws {
        let text = Self.short.replacing(", b]", with: ", \"${CITY}\"]")
        #expect(try Self.load(text, ["CITY": "x"]).saysTheSame(as: Self.load(text, ["CITY": "x"])))
        #expect(try !Self.load(text, ["CITY": "x"]).saysTheSame(as: Self.load(text, ["CITY": "y"])))
    }
}
