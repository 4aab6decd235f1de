import AccessControl
import Callers
import HTTPMessages
import JOSE
import KeySets
import KnownTokens
import Quotas
import RequestAuthorization
import TestSupport
import Testing
import TokenVerification

/// Charging of requests to callers; each case with and without a token cache.
@Suite struct QuotaTests {
    private static let perUser = Quota(
        name: "per-user", by: .attribute(.subject), rate: QuotaRate(requests: 2, period: .seconds(60)))

    /// An authorizer whose resource has quotas, with the fixture's keys and a separate clock.
    private final class Counted {
        let authorizer: RequestAuthorizer
        let table: QuotaTable
        var now: Int64 = 0
        /// Rate limit headers of the last request.
        private(set) var rateLimit: RateLimitFields?
        /// Client address in IPv6 form.
        var address: UInt64 = 1

        init(
            _ quotas: [Quota], rule: (String, [Quota])? = nil, cached: Bool, limit: Int = 100,
            sharedBy processes: Int? = nil,
            spread: CallerAttribute? = nil
        ) throws {
            let fixture = try AuthorizerFixture()
            var resources = fixture.authorizer.resources
            resources.update(0) { shop in
                shop.quotas = shop.routes.routes.mapped { route in
                    quotas + (route.description == rule?.0 ? rule?.1 ?? [] : [])
                }
                if let spread { shop.spreads = [spread] }
            }
            // A second issuer with the same keys.
            var issuers = fixture.authorizer.issuers
            var partner = try #require(issuers[0]).verifier.issuer
            partner = TrustedIssuer(
                name: "partner", identifier: "https://partner.example", algorithms: partner.algorithms,
                tokenType: partner.tokenType)
            issuers.append(IssuerKeyStores(issuer: partner, stores: [fixture.store]))
            resources.update(0) { $0.issuers.append(AcceptedIssuer(issuer: 1, audiences: ["api"])) }
            let table = QuotaTable(limit: limit)
            self.table = table
            authorizer = try RequestAuthorizer(
                resources: resources, issuers: issuers, digestKey: TokenDigestKey(),
                cache: cached ? VerifiedTokenCache(byteLimit: 1 << 20) : nil,
                accounting: processes.map { .shared(table, processes: $0) } ?? .local(table))
        }

        func outcome(
            _ token: String?, _ line: String = "GET /shop/me HTTP/1.1", answer: QuotaAnswer? = nil, counts: Bool = true
        ) throws -> AuthorizationOutcome {
            var request = try AuthorizerFixture.request(
                line, fields: token.map { ["Authorization: Bearer \($0)"] } ?? [])
            request.quotaAnswer = answer
            request.counting = counts ? RequestCounting(high: 0, low: address, now: now) : nil
            defer { rateLimit = request.rateLimit }
            return authorizer.authorize(&request, at: NumericDate(seconds: TestToken.now))
        }

        /// `forwarded`, or the reason and the time to wait.
        func text(
            _ token: String?, _ line: String = "GET /shop/me HTTP/1.1", answer: QuotaAnswer? = nil
        ) throws -> String {
            switch try outcome(token, line, answer: answer) {
            case .forward: "forwarded"
            case .reject(let rejection, _):
                rejection.reason.label + (rejection.retryAfter.map { " \($0.components.seconds)" } ?? "")
            case .wait(.quotas(let wait), _): "wait for \(wait.charges.count)"
            case .wait, .publish, .preflight: "something else"
            }
        }
    }

    private static func token(_ subject: String?, _ claims: [(String, String?)] = [], by key: SigningKeyChoice = .rsa)
        -> String
    {
        var token = TestToken.good.with("sub", subject.map { "\"\($0)\"" })
        for (name, value) in claims { token = token.with(name, value) }
        return token.signed(by: key == .rsa ? TestKeys.rsa : TestKeys.impostor)
    }

    private enum SigningKeyChoice { case rsa, impostor }

    @Test(arguments: [true, false])
    func `each subject has its own quota, which refills evenly`(cached: Bool) throws {
        let counted = try Counted([Self.perUser], cached: cached)
        let (one, other) = (Self.token("u1"), Self.token("u2"))
        #expect(try (0..<3).map { _ in try counted.text(one) } == ["forwarded", "forwarded", "quota_exceeded 30"])
        #expect(try counted.text(other) == "forwarded")
        // Another token of the same subject.
        #expect(try counted.text(Self.token("u1", [("jti", "\"another\"")])) == "quota_exceeded 30")
        counted.now = 30_000_000_000
        #expect(try (0..<2).map { _ in try counted.text(one) } == ["forwarded", "quota_exceeded 30"])
    }

    @Test(arguments: [true, false])
    func `a request refused for another reason is charged to no caller, nor a forged subject to its account`(
        cached: Bool
    )
        throws
    {
        let counted = try Counted([Self.perUser], cached: cached)
        for _ in 0..<5 {
            #expect(try counted.text(Self.token("u1", by: .impostor)) == "bad_signature")
            #expect(try counted.text(Self.token("u1"), "GET /shop/staff HTTP/1.1") == "role_required")
            #expect(try counted.text(Self.token("u1"), "GET /shop/nothing HTTP/1.1") == "no_rule")
            #expect(try counted.text(nil) == "missing_credentials")
        }
        #expect(counted.table.count == 0)
        #expect(try counted.text(Self.token("u1")) == "forwarded")
    }

    @Test(arguments: [true, false])
    func `the same subject of two issuers is two callers`(cached: Bool) throws {
        let counted = try Counted([Self.perUser], cached: cached)
        let partner = Self.token("u1", [("iss", "\"https://partner.example\"")])
        #expect(try (0..<3).map { _ in try counted.text(Self.token("u1")) }.last == "quota_exceeded 30")
        #expect(try counted.text(partner) == "forwarded")
    }

    @Test(arguments: [true, false])
    func `a token without the quota's claim is charged to its subject or else its address, as are public requests`(
        cached: Bool
    ) throws {
        let path = try ClaimPath("org")
        let quota = Quota(name: "q", by: .attribute(.claim(path)), rate: QuotaRate(requests: 1, period: .seconds(60)))
        let counted = try Counted([quota], cached: cached)
        func first(_ token: String?, _ line: String = "GET /shop/me HTTP/1.1") throws -> Bool {
            try counted.text(token, line) == "forwarded"
        }
        #expect(try first(Self.token("u1", [("org", "\"a\"")])))
        // Charged to the organization, whatever the subject; a number differs from the string of its digits.
        #expect(try !first(Self.token("u2", [("org", "\"a\"")])))
        #expect(try first(Self.token("u2", [("org", "1")])))
        #expect(try first(Self.token("u2", [("org", "\"1\"")])))
        // A list is not a value for a quota.
        #expect(try first(Self.token("u1", [("org", "[\"a\"]")])))
        #expect(try !first(Self.token("u1")))
        #expect(try first(Self.token(nil)))
        #expect(try !first(Self.token(nil, [("jti", "\"x\"")])))
        #expect(try !first(nil, "GET /shop/status HTTP/1.1"))
        counted.address = 2
        #expect(try first(nil, "GET /shop/status HTTP/1.1"))
    }

    @Test(arguments: [true, false])
    func `the value of a claim decides the size of each subject's quota`(cached: Bool) throws {
        let rate = { QuotaRate(requests: $0, period: .seconds(60)) }
        let plans = Quota.Plans(
            claim: try ClaimPath("/plan"), [(.string("gold"), rate(3)), (.string("free"), rate(1))])
        let quota = Quota(name: "by-plan", by: .attribute(.subject), rate: rate(2), plans: plans)
        let counted = try Counted([quota], cached: cached)
        func permitted(_ subject: String, _ plan: String?) throws -> Int {
            try (0..<5).filter { _ in try counted.text(Self.token(subject, [("plan", plan)])) == "forwarded" }.count
        }
        #expect(try permitted("g", "\"gold\"") == 3)
        #expect(try permitted("h", "[\"x\",\"gold\"]") == 3)
        #expect(try permitted("f", "\"free\"") == 1)
        #expect(try permitted("n", nil) == 2)
        #expect(try permitted("o", "\"platinum\"") == 2)
    }

    @Test(arguments: [true, false])
    func `quotas of a rule add to those of the resource, and a refused request is charged to none`(cached: Bool) throws
    {
        let partner = Quota(
            name: "partner", by: .attribute(.client), rate: QuotaRate(requests: 1, period: .seconds(10)))
        let counted = try Counted([Self.perUser], rule: ("GET /me", [partner]), cached: cached)
        let token = Self.token("u1", [("client_id", "\"app\""), ("roles", "\"staff\"")])
        #expect(
            try (0..<3).map { _ in try counted.text(token) } == ["forwarded", "quota_exceeded 10", "quota_exceeded 10"])
        // One request of the resource's quota is left.
        let other = "GET /shop/staff HTTP/1.1"
        #expect(try (0..<2).map { _ in try counted.text(token, other) } == ["forwarded", "quota_exceeded 30"])
    }

    @Test(arguments: [true, false])
    func `a full quota table refuses only new callers`(cached: Bool) throws {
        let counted = try Counted([Self.perUser], cached: cached, limit: 1)
        #expect(try counted.text(Self.token("u1")) == "forwarded")
        #expect(try counted.text(Self.token("u2")) == "overloaded 1")
        #expect(try counted.text(Self.token("u1")) == "forwarded")
    }

    @Test(arguments: [true, false])
    func `a request waits for the shared quota store, and its verdict applies`(cached: Bool) throws {
        let counted = try Counted([Self.perUser], cached: cached, sharedBy: 2)
        let token = Self.token("u1")
        #expect(try counted.text(token) == "wait for 1")
        let standing = QuotaStanding(charge: 0, remaining: 0, wait: .seconds(9))
        #expect(try counted.text(token, answer: .verdict(.granted(standing))) == "forwarded")
        #expect(try counted.text(token, answer: .verdict(.exceeded(standing))) == "quota_exceeded 9")
        #expect(counted.table.count == 0)
        // Each process permits its share: half of two.
        #expect(
            try (0..<2).map { _ in try counted.text(token, answer: .unreachable) } == [
                "forwarded", "quota_exceeded 60",
            ])
    }

    @Test func `a quota with on-failure refuse is refused while the store is unreachable`()
        throws
    {
        let strict = Quota(
            name: "strict", by: .attribute(.subject), rate: QuotaRate(requests: 2, period: .seconds(60)),
            whenUnreachable: .refuse)
        let counted = try Counted([Self.perUser], rule: ("GET /me", [strict]), cached: false, sharedBy: 2)
        let token = Self.token("u1", [("roles", "\"staff\"")])
        #expect(try counted.text(token, answer: .unreachable) == "quota_unavailable 1")
        #expect(try counted.text(token, "GET /shop/staff HTTP/1.1", answer: .unreachable) == "forwarded")
    }

    @Test func `a verdict about other charges is ignored`() throws {
        let counted = try Counted([Self.perUser], cached: false, sharedBy: 2)
        let standing = QuotaStanding(charge: 7, remaining: 0, wait: .seconds(9))
        #expect(try counted.text(Self.token("u1"), answer: .verdict(.exceeded(standing))) == "quota_unavailable 1")
    }

    @Test func `explain names the quotas and charges nothing`() throws {
        let counted = try Counted([Self.perUser], cached: false)
        for _ in 0..<5 {
            var request = try AuthorizerFixture.request(
                "GET /shop/me HTTP/1.1", fields: ["Authorization: Bearer \(Self.token("u1"))"])
            let explanation = counted.authorizer.explain(&request, at: NumericDate(seconds: TestToken.now))
            #expect(explanation.reason == nil)
            #expect(
                explanation.steps.last
                    == Explanation.Step(
                        "quota", .passed,
                        "per-user: 2 requests in 60 s, 2 at once, for each subject; nothing is charged here"))
        }
        #expect(counted.table.count == 0)
    }

    @Test(arguments: [true, false])
    func `responses report the caller's quota`(cached: Bool) throws {
        let counted = try Counted([Self.perUser], cached: cached)
        var lines: [[String]] = []
        for _ in 0..<3 {
            _ = try counted.outcome(Self.token("u1"))
            var head = HeadWriter()
            counted.rateLimit?.write(into: &head)
            lines.append(String(decoding: head.bytes, as: UTF8.self).split(separator: "\r\n").map(String.init))
        }
        #expect(
            lines.map(\.last) == [
                #"ratelimit: "per-user";r=1;t=30"#, #"ratelimit: "per-user";r=0;t=30"#,
                #"ratelimit: "per-user";r=0;t=30"#,
            ])
        let policies = Set(lines.compactMap(\.first))
        #expect(policies.count == 1)
        #expect(
            policies.first?.wholeMatch(of: /ratelimit-policy: "per-user";q=2;w=60;pk=:[A-Za-z0-9+\/]{11}=:/) != nil,
            "\(policies)")
    }

    @Test(arguments: [true, false])
    func `load balancing by a claim gives the same value in every process`(cached: Bool) throws {
        func spread(_ counted: Counted, _ token: String?, _ line: String = "GET /shop/me HTTP/1.1") throws -> UInt64? {
            guard case .forward(let forwarding, _) = try counted.outcome(token, line) else { return nil }
            return forwarding.spread
        }
        let attribute = CallerAttribute.claim(try ClaimPath("sub"))
        let (one, other) = try (
            Counted([], cached: cached, spread: attribute), Counted([], cached: cached, spread: attribute)
        )
        let first = try #require(try spread(one, Self.token("u1")))
        #expect(
            try spread(one, Self.token("u1", [("jti", "\"x\"")])) == first && spread(other, Self.token("u1")) == first)
        #expect(try spread(one, Self.token("u1")) == first)
        #expect(try spread(one, Self.token("u2")) != first)
        #expect(try spread(one, Self.token(nil)) == nil)
        #expect(try spread(one, nil, "GET /shop/status HTTP/1.1") == nil)
    }
}
