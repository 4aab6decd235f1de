import AccessControl
import HTTPMessages
import TestSupport
import Testing
import TokenVerification

@testable import RequestAuthorization

/// Requests of a resource or a rule in maintenance: which are refused, and what comes before.
struct MaintenanceTests {
    private static let end = NumericDate(seconds: TestToken.now + 100)
    private static let ongoing = Maintenance(until: end, retryAfter: .milliseconds(1500))
    private static let endless = Maintenance()
    private static let rules = AuthorizerFixture.tokenRules

    private static func fixture(
        _ maintenance: Maintenance? = nil, rule: Maintenance? = nil,
        _ configure: (inout ProtectedResource) throws -> Void = { _ in }
    ) throws -> AuthorizerFixture {
        try AuthorizerFixture(
            rules: rules,
            configure: {
                $0.maintenance = maintenance
                // Of `GET /me`.
                $0.ruleMaintenance = IndexedBy([rule] + Array(repeating: nil, count: rules.count - 1))
                try configure(&$0)
            })
    }

    private static func answer(
        _ fixture: AuthorizerFixture, _ line: String, _ fields: [String] = [], now: Double = TestToken.now
    ) throws -> (text: String, rejection: Rejection?, facts: AuthorizationFacts) {
        let request = try AuthorizerFixture.request(line + " HTTP/1.1", fields: fields)
        switch fixture.outcome(request, now: now) {
        case .forward(_, let facts): return (facts.would.map { "would be \($0.label)" } ?? "forwarded", nil, facts)
        case .reject(let rejection, let facts): return (rejection.reason.label, rejection, facts)
        case .preflight(let answer, let facts): return (answer.verdict.rawValue, nil, facts)
        case .publish(_, let facts): return ("published", nil, facts)
        case .wait(_, let facts): return ("waits", nil, facts)
        }
    }

    @Test(
        arguments: [
            ("GET /shop/me", [AuthorizerFixture.bearer()]), ("GET /shop/me", []),
            ("GET /shop/me", ["Authorization: Bearer a b"]),
            ("GET /shop/me?access_token=x", [AuthorizerFixture.bearer()]),
            ("GET /shop/open", []), ("GET /shop/maybe", []), ("GET /shop/nothing", []), ("DELETE /shop/me", []),
        ] as [(String, [String])])
    func `every request of a resource in maintenance gets the same answer, whoever sends it`(
        line: String, fields: [String]
    ) throws {
        let seen = try Self.answer(Self.fixture(Self.ongoing), line, fields)
        #expect(seen.rejection == Rejection(.routing(.maintenance), retryAfter: .milliseconds(1500)))
        #expect(seen.rejection?.reason.status == 503)
        #expect(seen.facts.stage == .maintenance)
        #expect(seen.facts.spentVerifications == 0 && seen.facts.cache == nil)
    }

    @Test func `only the rule in maintenance refuses`() throws {
        let fixture = try Self.fixture(rule: Self.endless)
        let seen = try Self.answer(fixture, "GET /shop/me", [AuthorizerFixture.bearer()])
        #expect(seen.rejection == Rejection(.routing(.maintenance), retryAfter: .seconds(300)))
        #expect(seen.facts.rule == 0)
        #expect(try Self.answer(fixture, "GET /shop/open").text == "forwarded")
        #expect(try Self.answer(fixture, "GET /shop/nothing").text == "no_rule")
        #expect(try Self.answer(fixture, "GET /shop/write", [AuthorizerFixture.bearer()]).text == "insufficient_scope")
        #expect(try Self.answer(fixture, "GET /other/x").text == "missing_credentials")
    }

    @Test func `maintenance ends at its time, without a new configuration`() throws {
        let fixture = try Self.fixture(Self.ongoing)
        for (now, text) in [(TestToken.now + 99.9, "maintenance"), (TestToken.now + 100, "forwarded")] {
            #expect(try Self.answer(fixture, "GET /shop/open", now: now).text == text)
        }
        #expect(try Self.answer(Self.fixture(Self.endless), "GET /shop/open", now: 1e11).text == "maintenance")
    }

    @Test func `of two maintenances both count, and the longer retry time is stated`() throws {
        let short = Maintenance(until: Self.end, retryAfter: .seconds(5))
        let long = Maintenance(until: NumericDate(seconds: TestToken.now + 50), retryAfter: .seconds(60))
        let fixture = try Self.fixture(short, rule: long)
        for (after, retry) in [(0.0, Duration.seconds(60)), (50, .seconds(5))] {
            let seen = try Self.answer(fixture, "GET /shop/me", now: TestToken.now + after)
            #expect(seen.rejection?.retryAfter == retry)
        }
        #expect(try Self.answer(fixture, "GET /shop/open").rejection?.retryAfter == .seconds(5))
        #expect(try Self.answer(fixture, "GET /shop/me", now: TestToken.now + 100).text == "missing_credentials")
    }

    @Test func `observe mode does not suspend maintenance, also without a rule`() throws {
        let observing = try Self.fixture(Self.ongoing) { $0.mode = .observe(until: .latest) }
        for line in ["GET /shop/me", "GET /shop/nothing"] {
            #expect(try Self.answer(observing, line).text == "maintenance")
        }
        let after = TestToken.now + 100
        #expect(try Self.answer(observing, "GET /shop/nothing", now: after).text == "would be no_rule")
    }

    @Test func `what is wrong with the message or its path is answered first`() throws {
        let fixture = try Self.fixture(Self.endless)
        for (line, text) in [
            ("GET /shop/../me", "bad_request"), ("GET /shop/me;v=1", "bad_request"), ("GET /shop/a%2Fb", "bad_request"),
            ("GET /elsewhere", "no_resource"),
        ] {
            #expect(try Self.answer(fixture, line).text == text)
        }
    }

    @Test func `preflights and metadata are answered during maintenance`() throws {
        let fixture = try Self.fixture(Self.endless) { $0.crossOrigin = CrossOriginPolicy(origins: .any) }
        let asked = ["Origin: https://app.example", "Access-Control-Request-Method: GET"]
        #expect(try Self.answer(fixture, "OPTIONS /shop/me", asked).text == "preflight")
        #expect(try Self.answer(fixture, "GET /.well-known/oauth-protected-resource/shop").text == "published")
        let seen = try Self.answer(fixture, "GET /shop/me", ["Origin: https://app.example"])
        #expect(seen.text == "maintenance")
        guard case .allowed = seen.facts.origin else { return #expect(Bool(false), "pages can read the refusal") }
    }

    @Test func `an encoded slash does not lead around the maintenance of a rule`() throws {
        let rules: [(String, AccessPolicy)] = [("GET /{id}", .public), ("GET /{id}/{part}", .public)]
        func answer(_ maintenance: [Maintenance?]) throws -> String {
            let fixture = try AuthorizerFixture(
                rules: rules,
                configure: {
                    $0.encodedSlashes = .keep
                    $0.ruleMaintenance = IndexedBy(maintenance)
                })
            return try Self.answer(fixture, "GET /shop/a%2Fb").text
        }
        #expect(try answer([nil, nil]) == "forwarded")
        #expect(try answer([nil, Self.endless]) == "bad_request")
        #expect(try answer([Self.endless, nil]) == "bad_request")
        #expect(try answer([Self.endless, Self.endless]) == "maintenance")
    }

    @Test func `at a door the answer is the same`() throws {
        var request = try AuthorizerFixture.request("GET /shop/open HTTP/1.1")
        request.isAtDoor = true
        guard case .reject(let rejection, _) = try Self.fixture(Self.endless).outcome(request) else {
            return #expect(Bool(false))
        }
        #expect(rejection.reason == .routing(.maintenance))
    }

    // MARK: Texts

    @Test(
        arguments: [
            (ongoing, nil, "the resource is in maintenance until 2026-09-21T14:25:00Z"),
            (nil, ongoing, "the rule is in maintenance until 2026-09-21T14:25:00Z"),
            (nil, endless, "the rule is in maintenance until `maintenance` is taken out of the file"),
        ] as [(Maintenance?, Maintenance?, String)])
    func `the operator reads until when it lasts`(_ resource: Maintenance?, _ rule: Maintenance?, detail: String) throws
    {
        var request = try AuthorizerFixture.request("GET /shop/me HTTP/1.1")
        let explained = try Self.fixture(resource, rule: rule).authorizer.explain(
            &request, at: NumericDate(seconds: TestToken.now))
        let step = try #require(explained.steps.first { $0.name == "maintenance" })
        #expect(step == Explanation.Step("maintenance", .failed, detail))
        #expect(explained.steps.first { $0.name == "rule" }?.verdict == .passed)
        #expect(explained.steps.first { $0.name == "credentials" }?.verdict == .notReached)
        #expect(explained.status == 503 && explained.rule == "GET /me")
    }

    @Test func `an explanation says that a maintenance is over, and that a request without a rule has none`() throws {
        func steps(_ line: String, now: Double) throws -> [String] {
            var request = try AuthorizerFixture.request(line + " HTTP/1.1")
            let explained = try Self.fixture(Self.ongoing).authorizer.explain(&request, at: NumericDate(seconds: now))
            return explained.steps.filter { ["rule", "maintenance"].contains($0.name) }.map {
                "\($0.name) \($0.verdict.rawValue): \($0.detail)"
            }
        }
        #expect(
            try steps("GET /shop/open", now: TestToken.now + 100) == [
                "rule passed: GET /open", "maintenance passed: over since 2026-09-21T14:25:00Z",
            ])
        #expect(
            try steps("GET /shop/nothing", now: TestToken.now) == [
                "rule passed: none",
                "maintenance failed: the resource is in maintenance until 2026-09-21T14:25:00Z",
            ])
    }

    @Test func `Retry-After is rounded up to whole seconds`() throws {
        for (written, stated) in [(1, "1"), (999, "1"), (1000, "1"), (1001, "2"), (300_000, "300")] {
            let rejection = Rejection(.routing(.maintenance), retryAfter: .milliseconds(written))
            var head = HeadWriter()
            let content = rejection.write(
                into: &head, AnswerTerms(date: Array("d".utf8), requestID: Array("i".utf8), fate: .keep))
            let lines = String(decoding: head.bytes, as: UTF8.self).split(separator: "\r\n")
            #expect(lines.first == "HTTP/1.1 503 Service Unavailable")
            #expect(lines.contains("retry-after: \(stated)"))
            #expect(lines.contains("content-type: application/problem+json"))
            #expect(!lines.contains { $0.hasPrefix("www-authenticate") })
            #expect(String(decoding: content, as: UTF8.self).contains(#""status":503"#))
        }
    }
}
