import AccessControl
import Callers
import HTTPMessages
import Quotas
import TestSupport
import Testing
import TokenVerification

@testable import RequestAuthorization

/// Paths with `%2F` below a resource that keeps encoded slashes: both readings must have the same meaning.
struct EncodedSlashTests {
    typealias Fixture = AuthorizerFixture

    private static let rules: [(String, AccessPolicy)] = [
        ("GET /projects/**", .requiring([.allScopes(["read"])])),
        ("DELETE /projects/{id}", .requiring([.allScopes(["read"])])),
        ("DELETE /projects/{id}/{part}", .requiring([.allScopes(["read"])])),
        ("PUT /projects/**", .requiring([.allScopes(["read"])])),
        ("PUT /projects/{id}/hooks", .requiring([.allScopes(["write"])])),
        ("GET /projects/admin/**", .requiring([.allScopes(["admin"])])),
        ("GET /alone/{id}", .requiring([.allScopes(["read"])])),
        ("GET /open/**", .public),
        ("GET /open/{id}/secret", .token([])),
        ("GET /orgs/{org}/**", .requiring([.organization(inPath: "org")])),
    ]

    private static func fixture(_ configure: (inout ProtectedResource) throws -> Void = { _ in }) throws
        -> AuthorizerFixture
    {
        try Fixture(
            rules: rules,
            configure: {
                $0.encodedSlashes = .keep
                $0.upstreamRoutes = try RouteTable([
                    try RoutePattern("ANY /**"), try RoutePattern("ANY /projects/eu/**"),
                ])
                $0.upstreams = [0, 7]
                try configure(&$0)
            })
    }

    /// The forwarded path. Nil if the request is refused.
    private func forwarded(_ line: String, token: TestToken = .good, by fixture: AuthorizerFixture) throws -> String? {
        var request = try Fixture.request(line + " HTTP/1.1", fields: [Fixture.bearer(token)])
        guard let forwarding = fixture.forwarding(request) else { return nil }
        _ = fixture.authorizer.authorize(&request, at: NumericDate(seconds: TestToken.now))
        return String(decoding: request.path.canonical[forwarding.pathStart...], as: UTF8.self)
    }

    // MARK: What passes

    @Test(
        arguments: [
            ("GET /shop/projects/group%2Fproject", "/shop/projects/group%2Fproject"),
            ("GET /shop/projects/a%2fb%2Fc/issues", "/shop/projects/a%2Fb%2Fc/issues"),
            ("GET /shop/projects/a%2F", "/shop/projects/a%2F"),
            ("GET /shop/projects/a%2Fadmin", "/shop/projects/a%2Fadmin"),
            ("DELETE /shop/projects/group%2fproject", "/shop/projects/group%2Fproject"),
            ("GET /shop/open/a%2Fb", "/shop/open/a%2Fb"),
            ("GET /shop/projects/plain", "/shop/projects/plain"),
            // Paths with empty segments, which some servers keep and others omit.
            ("GET /shop/projects/a%2F%2Fb", "/shop/projects/a%2F%2Fb"),
            ("GET /shop/projects/a%2F/b", "/shop/projects/a%2F/b"),
            ("GET /shop/projects/%2F/hooks", "/shop/projects/%2F/hooks"),
            ("GET /shop/projects/%2f", "/shop/projects/%2F"),
            ("GET /shop/projects/https:%2F%2Fx%2Fy", "/shop/projects/https:%2F%2Fx%2Fy"),
            ("DELETE /shop/projects/a%2F%2F", "/shop/projects/a%2F%2F"),
        ])
    func `a path with the same meaning in both readings is forwarded as received, with upper-case digits`(
        line: String, path: String
    ) throws {
        #expect(try forwarded(line, by: Self.fixture()) == path)
        #expect(
            try forwarded(line, by: Self.fixture { $0.stripsPrefix = true }) == String(path.dropFirst("/shop".count)))
    }

    @Test func `without keep, encoded slashes are refused, even beside a resource that keeps them`() throws {
        let lines = ["/shop/projects/a%2Fb", "/nowhere/a%2Fb", "/other/a%2Fb"]
        for (configure, paths) in [({ $0.encodedSlashes = .refuse }, lines), ({ _ in }, Array(lines.dropFirst()))]
            as [((inout ProtectedResource) -> Void, [String])]
        {
            let fixture = try Self.fixture(configure)
            for path in paths {
                let request = try Fixture.request("GET \(path) HTTP/1.1", host: "localhost", fields: [Fixture.bearer()])
                guard case .reject(let rejection, let facts) = fixture.outcome(request) else {
                    Issue.record("\(path) is not refused")
                    continue
                }
                #expect(rejection.reason == .message(.badRequest), "\(path)")
                let isAtNoPlace = path == "/nowhere/a%2Fb" && paths.count == 2
                #expect(facts.hint == (isAtNoPlace ? RequestWalk.noPlace : PathRejection.encodedSlash.hint))
            }
        }
    }

    // MARK: What does not

    @Test(
        arguments: [
            // Ambiguous paths.
            ("GET /shop/projects/a%2F..%2Fadmin", RequestWalk.ambiguous),
            ("GET /shop/projects/..%2Fadmin", RequestWalk.ambiguous),
            ("GET /shop/projects/a%2F%2F..", RequestWalk.ambiguous),
            ("GET /shop/projects/%2e%2F", RequestWalk.ambiguous),
            ("GET /%2Fshop/projects/a", RequestWalk.noPlace),
            // Another place: of the same resource, or none.
            ("GET /shop%2Fprojects/7", RequestWalk.noPlace), ("GET /shop/inner%2Fa", RequestWalk.otherPlace),
            ("GET /shop/inner%2F%2Fa", RequestWalk.otherPlace),
            // Another rule, or none in one of the readings.
            ("GET /shop/projects/admin%2Fusers", RequestWalk.otherRule),
            ("GET /shop/alone/a%2Fb", RequestWalk.otherRule),
            ("DELETE /shop/projects/a%2Fb%2Fc", RequestWalk.otherRule),
            ("PUT /shop/projects/a%2Fhooks", RequestWalk.otherRule),
            ("GET /shop/open/a%2Fsecret", RequestWalk.otherRule), ("GET /shop/projects%2F7", RequestWalk.otherRule),
            // Readings with empty segments kept, or omitted.
            ("GET /shop/projects/%2Fadmin", RequestWalk.otherRule), ("GET /shop/%2Fprojects/7", RequestWalk.otherRule),
            ("DELETE /shop/projects/%2F", RequestWalk.otherRule),
            ("DELETE /shop/projects/a%2F%2Fb", RequestWalk.otherRule),
            ("PUT /shop/projects/a%2F/hooks", RequestWalk.otherRule),
            ("GET /shop/open/a%2F%2Fsecret", RequestWalk.otherRule),
            // Another upstream.
            ("GET /shop/projects/eu%2Fa", RequestWalk.otherUpstream),
            ("GET /shop/projects/%2Feu/a", RequestWalk.otherUpstream),
            // Paths refused even with `keep`.
            ("GET /shop/projects/a%252Fb", PathRejection.doubleEncoding.hint),
            ("GET /shop/projects/a%5Cb", PathRejection.encodedBackslash.hint),
            ("GET /shop/projects/a%2Fb;c", PathRejection.parametersHint),
        ] as [(String, String?)])
    func `a path that means something else when decoded is 400, and its hint says why`(
        line: String, hint: String?
    ) throws {
        let fixture = try Self.fixture { $0.places.append(try PlacePattern(at: "api.example/shop/inner/a")) }
        for fields in [[Fixture.bearer()], []] {
            guard
                case .reject(let rejection, let facts) = fixture.outcome(
                    try Fixture.request(line + " HTTP/1.1", fields: fields))
            else {
                Issue.record("\(line) is not refused")
                continue
            }
            #expect(rejection.reason == .message(.badRequest))
            #expect(facts.hint == hint)
        }
    }

    @Test func `a forwarded path never begins with two slashes when decoded`() throws {
        let stripping = try Self.fixture { $0.stripsPrefix = true }
        for path in ["/shop/%2Fprojects/a", "/shop/%2F", "/shop/%2F%2Fother.example/a"] {
            guard
                case .reject(let rejection, let facts) = stripping.outcome(try Fixture.request("GET \(path) HTTP/1.1"))
            else {
                Issue.record("\(path) is not refused")
                continue
            }
            #expect(rejection.reason == .message(.badRequest))
            #expect(facts.hint == RequestWalk.ambiguous)
        }
        let atRoot = try Self.fixture {
            $0.places = [try PlacePattern(at: "api.example")]
            $0.routes = try RouteTable([try RoutePattern("GET /**")])
            $0.policies = [.token([])]
        }
        #expect(try forwarded("GET /a%2F%2Fb", by: atRoot) == "/a%2F%2Fb")
        #expect(try forwarded("GET /%2Fb", by: atRoot) == nil)
    }

    @Test func `a path without a rule in both readings is refused as without a rule`() throws {
        let request = try Fixture.request("GET /shop/nothing/a%2Fb HTTP/1.1", fields: [Fixture.bearer()])
        #expect(try Self.fixture().rejection(request)?.reason == .routing(.noRule))
    }

    @Test(arguments: [
        ("acme", "acme/bills%2F7", true), ("acme", "acme%2Fbills/7", false), ("acme/bills", "acme%2Fbills/7", false),
        ("acme/bills", "acme%2fbills", false), ("acme", "acme%2F", false), ("acme", "other%2Facme", false),
        ("acme", "acme/%2F", true), ("acme", "%2Facme/bills", false), ("/acme", "%2Facme/bills", false),
        ("/", "%2F/acme", false),
    ])
    func `an organization in the path must be the same in both readings, also for cached tokens`(
        organization: String, path: String, isGranted: Bool
    ) throws {
        let token = TestToken.good.with("organization_id", "\"\(organization)\"")
        #expect((try forwarded("GET /shop/orgs/\(path)", token: token, by: Self.fixture()) != nil) == isGranted)
    }

    @Test func `both readings are judged without path parameters`() throws {
        let fixture = try Self.fixture { $0.keepsPathParameters = true }
        #expect(try forwarded("GET /shop/projects/a;v=1%2Fb", by: fixture) == "/shop/projects/a;v=1%2Fb")
        for path in ["admin;x%2Fusers", "a%2F..;x%2Fb", "a%2F;x", "eu%2Fa;x", "eu%2F;"] {
            #expect(try forwarded("GET /shop/projects/\(path)", by: fixture) == nil, "\(path)")
        }
    }

    // MARK: Preflights and explanations

    @Test func `a preflight lists the methods that pass in both readings`() throws {
        let fixture = try Self.fixture {
            $0.crossOrigin = CrossOriginPolicy(
                origins: .listed([try OriginPattern("https://app.example")]), allowsCredentials: false,
                requestFields: [], exposedFields: []
            )
        }
        let cases: [(path: String, methods: String?)] = [
            ("a%2Fb", "DELETE, GET, PUT"), ("a%2Fb%2Fc", "GET, PUT"), ("a%2Fhooks", "DELETE, GET"),
            ("admin%2Fx", "DELETE, PUT"),
        ]
        for (path, methods) in cases + [("alone", nil)] {
            let target = methods == nil ? "/shop/alone/a%2Fb" : "/shop/projects/\(path)"
            let fields = ["Origin: https://app.example", "Access-Control-Request-Method: GET"]
            guard
                case .preflight(let answer, _) = fixture.outcome(
                    try Fixture.request("OPTIONS \(target) HTTP/1.1", fields: fields))
            else {
                Issue.record("\(target) is no preflight")
                continue
            }
            #expect(
                answer.lines.first { $0.hasPrefix("access-control-allow-methods") }
                    == methods.map { "access-control-allow-methods: \($0)" }
            )
        }
        for path in ["projects/a%2F..%2Fb", "projects/eu%2Fa"] {
            let fields = ["Origin: https://app.example", "Access-Control-Request-Method: GET"]
            let request = try Fixture.request("OPTIONS /shop/\(path) HTTP/1.1", fields: fields)
            #expect(fixture.rejection(request)?.reason == .message(.badRequest))
        }
    }

    @Test func `an explanation shows both readings, and which check refused them`() throws {
        let fixture = try Self.fixture()
        func steps(_ path: String) throws -> [Explanation.Step] {
            var request = try Fixture.request("GET /shop/projects/\(path) HTTP/1.1", fields: [Fixture.bearer()])
            return fixture.authorizer.explain(&request, at: NumericDate(seconds: TestToken.now)).steps
        }
        let passed = try steps("a%2fb")
        #expect(passed.first?.detail == "/shop/projects/a%2fb, judged as /shop/projects/a/b too")
        #expect(passed.allSatisfy { $0.verdict == .passed })
        let doubled = try steps("a%2F%2Fb").first?.detail
        #expect(doubled == "/shop/projects/a%2F%2Fb, judged as /shop/projects/a//b and /shop/projects/a/b too")
        let ambiguous = try steps("a%2F..%2Fb").first { $0.verdict == .failed }
        #expect(
            ambiguous?.name == "place"
                && ambiguous?.detail == RequestWalk.ambiguous + " The first `%2F` is at byte 16 of the path.")
        let ruled = try steps("admin%2Fb").first { $0.verdict == .failed }
        #expect(ruled?.name == "rule" && ruled?.detail == RequestWalk.otherRule + " It is at byte 20 of the path.")
    }

    @Test func `an encoded slash cannot bypass a quota`() throws {
        let quota = Quota(name: "q", by: .attribute(.subject), rate: QuotaRate(requests: 1, period: .seconds(60)))
        func reason(_ quotas: IndexedBy<RuleIndex, [Quota]>) throws -> RejectionReason? {
            let rules: [(String, AccessPolicy)] = [("GET /a/{x}", .token([])), ("GET /a/{x}/{y}", .token([]))]
            let fixture = try AuthorizerFixture(rules: rules) { shop in
                shop.encodedSlashes = .keep
                shop.quotas = quotas
            }
            return fixture.rejection(try Fixture.request("GET /shop/a/b%2Fc HTTP/1.1", fields: [Fixture.bearer()]))?
                .reason
        }
        #expect(try reason([[quota], [quota]]) == nil)
        #expect(try reason([[], [quota]]) == .message(.badRequest))
        #expect(try reason([[quota], []]) == .message(.badRequest))
    }

    // MARK: Any path

    /// Paths that an upstream may read after decoding: with empty segments kept, and without them.
    private static func readings(of decoded: String) -> Set<String> {
        let pieces = decoded.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        let hasFinalSlash = pieces.last?.isEmpty == true
        let segments = hasFinalSlash ? pieces.dropLast() : pieces
        let end = hasFinalSlash ? "/" : ""
        return [
            "/" + segments.map { $0.isEmpty ? "unnamed" : String($0) }.joined(separator: "/") + end,
            "/" + segments.filter { !$0.isEmpty }.joined(separator: "/") + end,
        ]
    }

    /// Checks that each path forwarded with `%2F` is also forwarded with `/` in its place, for the same token, to the
    /// same upstream and under the same requirement. So `%2F` reaches nothing that cannot be reached without it.
    @Test func `random paths with encoded slashes reach nothing that their decoded readings do not`() throws {
        var random = SeededGenerator(seed: 0x2F2F)
        var (forwardedPaths, pathsWithEmptySegments) = (0, 0)
        let plain = ["a", "b", "admin", "projects", "eu", "open", "secret", "hooks", "orgs", "acme"]
        let odd = ["..", ".", "inner", "shop", "", "", "%2F", ";x", "%2e", "%252F", "%5C"]
        let fixture = try Self.fixture { $0.places.append(try PlacePattern(at: "api.example/shop/inner/a")) }
        let fields = [Fixture.bearer(TestToken.good.with("organization_id", #""acme""#).with("scope", #""read""#))]
        for _ in 0..<10_000 {
            var path = "/shop/" + random.pick(["projects", "projects", "open", "orgs/acme", "orgs", "inner", "alone"])
            for index in 0..<Int.random(in: 1...4, using: &random) {
                path +=
                    random.pick(index == 0 ? ["/", "/", "/", "%2F"] : ["/", "%2F", "%2f", "%2F"])
                    + random.pick(random.once(in: 8) ? odd : plain)
            }
            let method = random.pick(["GET", "GET", "PUT", "DELETE"])
            let authorizer = fixture.authorizer
            var first = try Fixture.request("\(method) \(path) HTTP/1.1", fields: fields)
            guard
                case .forward(let forwarding, let facts) = authorizer.authorize(
                    &first, at: NumericDate(seconds: TestToken.now)),
                first.path.hasEncodedSlashes
            else { continue }
            forwardedPaths += 1
            let decoded = path.replacing("%2F", with: "/").replacing("%2f", with: "/")
            let readings = Self.readings(of: decoded)
            if readings.count > 1 { pathsWithEmptySegments += 1 }
            for reading in readings {
                var second = try Fixture.request("\(method) \(reading) HTTP/1.1", fields: fields)
                guard
                    case .forward(let other, let otherFacts) = authorizer.authorize(
                        &second, at: NumericDate(seconds: TestToken.now))
                else {
                    Issue.record("\(path) is forwarded, and \(reading) is not")
                    continue
                }
                let policies = [facts, otherFacts].map { facts in
                    facts.rule.flatMap { authorizer.resources[0]?.policies[$0] }
                }
                #expect(
                    forwarding.upstream == other.upstream && policies[0] == policies[1] && policies[0] != nil, "\(path)"
                )
            }
        }
        #expect(pathsWithEmptySegments > 50)
        #expect(forwardedPaths > 500)
    }
}
