import AccessControl
import Callers
import HTTPMessages
import JOSE
import KeySets
import KnownTokens
import TestSupport
import Testing
import TokenIntrospection
import TokenVerification

@testable import RequestAuthorization

/// Another configuration's verdict beside the running one: a request that is not judged twice would have the same
/// verdict.
@Suite struct ShadowTests {
    private static let now = NumericDate(seconds: TestToken.now)

    // MARK: At random

    /// A configuration of a few resources, small enough that rules and places overlap.
    private struct Small {
        struct Resource {
            var identifier: String
            var places: [String]
            var rules: [String: AccessPolicy]
            var modes: [String: EnforcementMode] = [:]
            var mode = EnforcementMode.enforce
            var audiences = ["api"]
            var issuer: IssuerIndex = 0
            var upstreams = ["ANY /**"]
            var keepsParameters = false
            var slashes = EncodedSlashes.refuse
            var token = TokenPlace.authorization
            var otherTokens: [TokenPlace] = []
            var hasIdentity = false
            var longestIdentity = 4096
            var hasCrossOrigin = false
            var allowsAnyField = false
            var maintenance: Maintenance?
            var ruleMaintenance: [String: Maintenance] = [:]
        }

        var resources: [Resource]
        var leeway = Duration.seconds(60)
        var hasDenials = false

        static let places = [
            "/shop", "/shop/a", "api.example/shop", "*.example/shop", "/", "api.example:8443/shop", "else.example",
            "*.example:8443/shop/a",
        ]
        static let rules = [
            "GET /a", "ANY /a", "GET /{x}", "GET /a/**", "ANY /**", "HEAD /a", "POST /{x}/b", "GET /*/b", "GET /a/",
            "PUT /a/b/c",
        ]
        static let policies: [AccessPolicy] = [
            .public, .token([]), .requiring([.allScopes(["read"])]), .requiring([.allScopes(["write"])]),
            .optionalToken([.allScopes(["read"])]), .requiring([.client(oneOf: ["app-1"])]),
        ]

        /// Ongoing, and over.
        static let maintenance = [
            Maintenance(), Maintenance(until: .latest), Maintenance(until: NumericDate(seconds: TestToken.now)),
        ]

        init(_ random: inout SeededGenerator) {
            let count = Int.random(in: 1...3, using: &random)
            let places = Self.places.shuffled(using: &random)
            resources = (0..<count).map { number in
                var rules: [String: AccessPolicy] = [:]
                for _ in 0..<Int.random(in: 1...4, using: &random) { Self.addRule(to: &rules, &random) }
                var resource = Resource(
                    identifier: "r\(number)",
                    places: Array(places.dropFirst(number * 2).prefix(Int.random(in: 1...2, using: &random))),
                    rules: rules, hasIdentity: Bool.random(using: &random))
                resource.slashes =
                    [EncodedSlashes.keep, .opaque, .refuse, .refuse][Int.random(in: 0..<4, using: &random)]
                resource.hasCrossOrigin = Int.random(in: 0..<4, using: &random) == 0
                resource.allowsAnyField = Bool.random(using: &random)
                if Int.random(in: 0..<12, using: &random) == 0 {
                    resource.maintenance = Self.maintenance.randomElement(using: &random)
                }
                for rule in rules.keys.sorted() where Int.random(in: 0..<8, using: &random) == 0 {
                    resource.ruleMaintenance[rule] = Self.maintenance.randomElement(using: &random)
                }
                return resource
            }
        }

        static func addRule(to rules: inout [String: AccessPolicy], _ random: inout SeededGenerator) {
            guard let rule = Self.rules.randomElement(using: &random) else { return }
            var more = rules
            more[rule] = policies.randomElement(using: &random)
            guard (try? RouteTable(more.keys.sorted().map { try RoutePattern($0) })) != nil else { return }
            rules = more
        }

        /// Makes one small change, or none.
        mutating func change(_ random: inout SeededGenerator) {
            let index = Int.random(in: resources.indices, using: &random)
            func change(_ body: (inout Resource) -> Void) { body(&resources[index]) }
            switch Int.random(in: 0..<23, using: &random) {
            case 0: change { Self.addRule(to: &$0.rules, &random) }
            case 1: change { if $0.rules.count > 1 { $0.rules[$0.rules.keys.sorted()[0]] = nil } }
            case 2, 3: change { $0.rules[$0.rules.keys.sorted()[0]] = Self.policies.randomElement(using: &random) }
            case 4: change { $0.audiences = [["billing"], ["api", "billing"]].randomElement(using: &random) ?? [] }
            case 5: change { $0.issuer = 1 }
            case 6: change { $0.upstreams = ["ANY /a/**"] }
            case 7: change { $0.keepsParameters.toggle() }
            case 8: change { $0.slashes = $0.slashes == .keep ? .opaque : $0.slashes == .opaque ? .refuse : .keep }
            case 9:
                let field = TokenPlace.field(TokenField(FieldName(fixed: "X-Token")))
                if Bool.random(using: &random) {
                    change { $0.token = field }
                } else {
                    change { $0.otherTokens = [field] }
                }
            case 10: change { $0.mode = .observe(until: .latest) }
            case 11: change { $0.modes[$0.rules.keys.sorted()[0]] = .observe(until: .latest) }
            case 12: leeway = .seconds(1)
            case 13: hasDenials.toggle()
            case 14:
                let taken = Set(resources.flatMap(\.places))
                guard let place = Self.places.filter({ !taken.contains($0) }).randomElement(using: &random) else {
                    return
                }
                if Bool.random(using: &random) {
                    change { $0.places.append(place) }
                } else {
                    resources.append(Resource(identifier: "new", places: [place], rules: ["ANY /**": .public]))
                }
            case 15: change { $0.longestIdentity = 3 }
            case 16: change { $0.hasCrossOrigin.toggle() }
            case 18: change { $0.allowsAnyField.toggle() }
            case 19: change { $0.maintenance = Self.maintenance.randomElement(using: &random) }
            case 20:
                change {
                    $0.ruleMaintenance[$0.rules.keys.sorted()[0]] = Self.maintenance.randomElement(using: &random)
                }
            // Reachable only through doors.
            case 17: change { $0.upstreams = [] }
            default:
                guard let giver = resources.firstIndex(where: { $0.places.count > 1 }), giver != index else { return }
                let place = resources[giver].places.remove(at: Int.random(in: 0...1, using: &random))
                change { $0.places.append(place) }
            }
            if Bool.random(using: &random) { resources.shuffle(using: &random) }
        }

        func authorizer(_ stores: [KeySetStore], _ denials: DenyList?, cached: Bool) throws -> RequestAuthorizer {
            let all = try resources.map { small in
                let names = small.rules.keys.sorted()
                var resource = ProtectedResource(
                    identifier: small.identifier, places: try small.places.map { try PlacePattern(at: $0) },
                    issuers: [AcceptedIssuer(issuer: small.issuer, audiences: small.audiences)],
                    routes: try RouteTable(names.map { try RoutePattern($0) }),
                    policies: IndexedBy(names.compactMap { small.rules[$0] }),
                    upstreamRoutes: try RouteTable(small.upstreams.map { try RoutePattern($0) }),
                    upstreams: IndexedBy(small.upstreams.indices.map { UpstreamIndex($0) }))
                (resource.keepsPathParameters, resource.encodedSlashes) = (small.keepsParameters, small.slashes)
                (resource.tokenPlace, resource.mode) = (small.token, small.mode)
                resource.otherTokenPlaces = small.otherTokens
                if small.hasCrossOrigin {
                    resource.crossOrigin = CrossOriginPolicy(
                        origins: .listed([try OriginPattern("https://app.example")]),
                        requestFields: small.allowsAnyField ? .any : [])
                }
                resource.maintenance = small.maintenance
                resource.ruleMaintenance = IndexedBy(names.map { small.ruleMaintenance[$0] })
                resource.ruleModes = IndexedBy(names.map { small.modes[$0] ?? small.mode })
                if small.hasIdentity {
                    resource.identityFields = [
                        IdentityField(
                            .subject, name: FieldName(fixed: "X-Subject"), longestValue: small.longestIdentity)
                    ]
                }
                return resource
            }
            let issuers: [IssuerKeyStores] = zip(["main", "other"], stores).map { name, store in
                var issuer = TrustedIssuer(
                    name: name, identifier: "https://iss.example", algorithms: [.rs256, .es256],
                    tokenType: .accessTokenJWT)
                issuer.leeway = leeway
                return IssuerKeyStores(issuer: issuer, stores: [store])
            }
            return try RequestAuthorizer(
                resources: IndexedBy(all), issuers: IndexedBy(issuers), digestKey: ShadowTests.digestKey,
                cache: cached ? VerifiedTokenCache(byteLimit: 1 << 20) : nil, denials: hasDenials ? denials : nil)
        }
    }

    private static let heads: [RequestHead] = {
        let tokens = [
            TestToken.good, .good.with("scope", #""write""#), .good.with("aud", #""billing""#),
            .good.with("exp", "1790000570"),
            .good.with("client_id", #""app-2""#), .good.with("sub", #""u-2""#),
        ].map { $0.signed(by: TestKeys.rsa) }
        let origin = "Origin: https://app.example"
        let asked =
            ["GET", "PUT"].map { [origin, "Access-Control-Request-Method: \($0)"] }
            + [[origin, "Access-Control-Request-Method: GET", "Access-Control-Request-Headers: x y"]]
        let fields =
            [[], ["Authorization: Bearer x y"], [origin, "Origin: null"]] + asked
            + tokens.map { ["Authorization: Bearer \($0)", "X-Token: \($0)"] }
        let paths = [
            "/", "/a", "/a/", "/a/b", "/b/b", "/a/b/c", "/a/b%2Fc", "/a;v=1", "/x/y/z", "/a%2Fb", "/a%252Fb", "/a/%2Fb",
        ]
        return ["/shop", "/shop/a", "", "/else"].flatMap { place in
            paths.flatMap { path in
                ["GET", "HEAD", "POST", "PUT", "OPTIONS"].flatMap { method in
                    ["api.example", "www.example", "else.example", "api.example:8443", "none"].flatMap { host in
                        fields.compactMap { fields in
                            try? AuthorizerFixture.request(
                                "\(method) \(place)\(path) HTTP/1.1", host: host, fields: fields
                            ).head
                        }
                    }
                }
            }
        }
    }()

    /// Key of the process, so that digests are shared.
    private static let digestKey = TokenDigestKey()

    private static func stores() -> [KeySetStore] {
        (0..<2).map { _ in
            KeySetStore(
                KeySetSnapshot(
                    keys: TestKeys.set, fetchedAt: now, staleLimit: .seconds(86_400), lastFetchSucceeded: true,
                    generation: 1))
        }
    }

    @Test(arguments: Effort.some(1...8 as ClosedRange<UInt64>, quick: 1))
    func `if two configurations are said to agree, no request is judged differently`(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let stores = Self.stores()
        let denials = DenyList(try #require(DenyDigests.process))
        var builder = DenyTable.Builder(denials.digests)
        let isAdded = builder.add(DenyEntry(issuer: "main", .subject, "u-2", issuedBefore: nil, expires: .latest))
        #expect(isAdded)
        denials.replace(.file, by: builder.table(at: Self.now))
        var (agreed, same, different, unchanged, found) = (0, 0, 0, 0, 0)
        for _ in 0..<120 {
            let one = Small(&random)
            var other = one
            let changes = Int.random(in: 0...2, using: &random)
            for _ in 0..<changes { other.change(&random) }
            let current = try one.authorizer(stores, denials, cached: true)
            guard let changed = try? other.authorizer(stores, denials, cached: true) else { continue }
            let shadow = ShadowAuthorizer(changed, beside: current, introspectionAgrees: { _, _ in true })
            var (request, scratch) = (try AuthorizerFixture.request(), ShadowScratch())
            for _ in 0..<150 {
                let head = try #require(Self.heads.randomElement(using: &random))
                request.head = head
                request.isAtDoor = Int.random(in: 0..<4, using: &random) == 0
                let (reason, facts) = Self.reason(current.authorize(&request, at: Self.now))
                let (path, record) = (request.path.canonical, request.record.bytes)
                let route = RequestRoute(facts.resource, facts.match)
                let comparison = shadow.judge(reason, at: facts.stage, route, &request, using: &scratch, at: Self.now)
                #expect(request.path.canonical == path && request.record.bytes == record)
                var alone = try AuthorizerFixture.request()
                (alone.head, alone.isAtDoor) = (head, request.isAtDoor)
                let own = reason.map { Verdict($0, at: facts.stage) } ?? .permitted
                // The verdict of a gateway with the other file.
                let (answer, answered) = Self.reason(changed.authorize(&alone, at: Self.now))
                let verdict = answer.map { Verdict($0, at: answered.stage) } ?? .permitted
                #expect(comparison == Self.comparison(of: own, with: verdict), "read alone and beside the other")
                if comparison == .same { same += 1 } else { different += 1 }
                let isAgreed = shadow.agrees(on: route, request.path)
                if !isAgreed, shadow.twin(of: route) != nil { found += 1 }
                if isAgreed {
                    agreed += 1
                    #expect(
                        comparison == .same,
                        "\(one)\n\(other)\n\(head.string(head.method)) \(head.string(head.target.path))")
                } else if changes == 0, facts.rule != nil {
                    unchanged += 1
                }
            }
        }
        #expect(agreed > 1_000, "a test of what agrees must meet it: \(agreed)")
        #expect(different > 300, "and what does not: \(different)")
        #expect(found > 300, "and a rule that only asks something else: \(found)")
        #expect(same > agreed)
        #expect(unchanged == 0, "a file without a change is known for one")
    }

    private static func comparison(of own: Verdict, with other: Verdict) -> ShadowAuthorizer.Comparison {
        guard own != .unknown, other != .unknown else { return .unknown }
        return own == other ? .same : .different(other)
    }

    private static func reason(_ outcome: AuthorizationOutcome) -> (RejectionReason?, AuthorizationFacts) {
        switch outcome {
        case .forward(_, let facts), .publish(_, let facts), .wait(_, let facts): (nil, facts)
        case .reject(let rejection, let facts): (rejection.reason, facts)
        case .preflight(let answer, let facts): (.preflight(answer.verdict), facts)
        }
    }

    // MARK: One by one

    private static func comparison(
        _ other: RequestAuthorizer, beside current: RequestAuthorizer, _ request: AuthorizationRequest
    ) -> (ShadowAuthorizer.Comparison, isAgreed: Bool) {
        var (request, scratch) = (request, ShadowScratch())
        let (reason, facts) = reason(current.authorize(&request, at: now))
        let shadow = ShadowAuthorizer(other, beside: current, introspectionAgrees: { _, _ in false })
        let route = RequestRoute(facts.resource, facts.match)
        let isAgreed = shadow.agrees(on: route, request.path)
        return (shadow.compare(reason, at: facts.stage, route, &request, using: &scratch, at: now), isAgreed)
    }

    @Test func `a request that waits for keys or introspection cannot be compared`() throws {
        let current = try AuthorizerFixture().authorizer
        let waiting = try AuthorizerFixture(keys: nil, canWait: true).authorizer
        let signed = try AuthorizerFixture.request("GET /shop/me HTTP/1.1", fields: [AuthorizerFixture.bearer()])
        #expect(Self.comparison(waiting, beside: current, signed).0 == .unknown)
        let asking = try AuthorizerFixture(
            introspection: IntrospectionStore(), digestKey: TokenDigestKey(),
            issuer: { $0.opaqueTokens = OpaqueTokenRule(clients: ["app-1"]) }
        ).authorizer
        let opaque = try AuthorizerFixture.request(
            "GET /shop/me HTTP/1.1", fields: ["Authorization: Bearer kX2m9vTqLr8WbN5c"])
        #expect(Self.comparison(asking, beside: current, opaque).0 == .unknown)
    }

    @Test func `a client over its limit of failed verifications is not judged by the shadow either`() throws {
        let current = try AuthorizerFixture().authorizer
        var request = try AuthorizerFixture.request("GET /shop/me HTTP/1.1", fields: [AuthorizerFixture.bearer()])
        request.maySpendVerification = false
        let open = try AuthorizerFixture(rules: [("GET /me", .public)]).authorizer
        #expect(Self.comparison(open, beside: current, request).0 == .unknown)
    }

    @Test func `paths where the shadow may publish metadata are always compared`() throws {
        let current = try AuthorizerFixture(
            rules: [("ANY /**", .token([]))], configure: { $0.places = [try PlacePattern(at: "/")] }
        ).authorizer
        let shadow = ShadowAuthorizer(current, beside: current, introspectionAgrees: { _, _ in true })
        for (path, isAgreed) in [("/y", true), ("/.well-known/oauth-protected-resource/x", false)] {
            var request = try AuthorizerFixture.request("GET \(path) HTTP/1.1", fields: [AuthorizerFixture.bearer()])
            let (reason, facts) = Self.reason(current.authorize(&request, at: Self.now))
            #expect(reason == nil)
            #expect(facts.rule == 0)
            #expect(shadow.agrees(on: RequestRoute(facts.resource, facts.match), request.path) == isAgreed)
        }
    }

    @Test func `the shadow ignores quotas, and forwards under observed rules`() throws {
        let current = try AuthorizerFixture().authorizer
        let observing = try AuthorizerFixture(configure: { $0.mode = .observe(until: .latest) }).authorizer
        var request = try AuthorizerFixture.request("GET /shop/me HTTP/1.1")
        _ = current.authorize(&request, at: Self.now)
        var scratch = ShadowScratch()
        let shadow = ShadowAuthorizer(observing, beside: current, introspectionAgrees: { _, _ in true })
        #expect(
            shadow.compare(.credentials(.missing), at: .credentials, nil, &request, using: &scratch, at: Self.now)
                == .different(.permitted)
        )
        #expect(
            shadow.compare(.gateway(.quotaExceeded), at: .quotas, nil, &request, using: &scratch, at: Self.now) == .same
        )
    }
}
