import AccessControl
import RequestAuthorization
import TestSupport
import Testing
import TokenVerification

@Suite struct ExplanationTests {
    typealias Fixture = AuthorizerFixture

    private func explanation(_ line: String, _ fields: [String]) throws -> Explanation {
        var request = try Fixture.request(line + " HTTP/1.1", fields: fields)
        return try Fixture().authorizer.explain(&request, at: NumericDate(seconds: TestToken.now))
    }

    private func verdicts(_ explanation: Explanation) -> [String] {
        explanation.steps.map { "\($0.name): \($0.verdict.rawValue)" }
    }

    @Test func `a forwarded request passed every step`() throws {
        let explanation = try explanation("GET /shop/orders/7", [Fixture.bearer()])
        #expect(explanation.status == 200)
        #expect(explanation.rejection == nil)
        #expect(explanation.rule == "GET /orders/**")
        #expect(explanation.issuer == "main")
        #expect(explanation.forwardedPath == "/shop/orders/7")
        #expect(Set(explanation.steps.map(\.verdict)) == [.passed])
    }

    @Test func `an explanation shows the stripped prefix`() throws {
        var request = try Fixture.request(fields: [Fixture.bearer()])
        let explanation = try Fixture { $0.stripsPrefix = true }.authorizer.explain(
            &request, at: NumericDate(seconds: TestToken.now))
        #expect(explanation.forwardedPath == "/orders/7")
        #expect(explanation.strippedPrefix == "/shop")
        #expect(try self.explanation("GET /shop/orders/7", [Fixture.bearer()]).strippedPrefix == nil)
    }

    @Test func `an explained forwarded path begins with the path of the upstream's URL`() throws {
        var explanation = try explanation("GET /shop/orders/7", [Fixture.bearer()])
        explanation.upstreamPath = "/v1"
        #expect(explanation.forwardedPath == "/v1/shop/orders/7")
        var refused = try self.explanation("GET /shop/orders/7", [])
        refused.upstreamPath = "/v1"
        #expect(refused.forwardedPath == nil)
    }

    @Test(arguments: [("", "/"), ("/v1", "/v1")])
    func `a place stripped completely leaves a slash, or the path of the upstream's URL`(
        path: String, forwarded: String
    ) throws {
        var request = try Fixture.request("GET /shop HTTP/1.1", fields: [Fixture.bearer()])
        let fixture = try Fixture(rules: [("GET /", .requiring([]))]) { $0.stripsPrefix = true }
        var explanation = fixture.authorizer.explain(&request, at: NumericDate(seconds: TestToken.now))
        explanation.upstreamPath = path
        #expect(explanation.forwardedPath == forwarded)
    }

    @Test func `the deciding step has failed, and later steps are not reached`() throws {
        let explanation = try explanation("GET /shop/orders/7", [Fixture.bearer(.good.with("aud", #""x""#))])
        #expect(explanation.status == 401)
        #expect(explanation.rejection?.reason == .token(.audienceMismatch))
        #expect(
            verdicts(explanation) == [
                "path: passed", "place: passed", "rule: passed", "credentials: passed", "form: passed",
                "issuer: passed", "header: passed",
                "key: passed", "signature: passed", "times: passed", "audience: failed", "kind: not_reached",
                "subject: not_reached",
                "binding: not_reached", "scopes: not_reached", "forward: not_reached",
            ],
        )
        #expect(explanation.steps.first { $0.name == "audience" }?.detail == #"aud is "x"; accepted: api"#)
    }

    @Test func `every requirement is a separate step`() throws {
        let explanation = try explanation("POST /shop/orders", [Fixture.bearer(.good.with("scope", #""write audit""#))])
        #expect(verdicts(explanation).suffix(3) == ["scopes: passed", "any scope: failed", "forward: not_reached"])
    }

    @Test func `the explanation of a public rule has no token steps`() throws {
        let explanation = try explanation("GET /shop/status", [])
        #expect(
            verdicts(explanation) == [
                "path: passed", "place: passed", "rule: passed", "credentials: passed", "forward: passed",
            ])
    }

    @Test func `without a resource the explanation stops at the place`() throws {
        let explanation = try explanation("GET /nowhere", [Fixture.bearer()])
        #expect(explanation.status == 404)
        #expect(explanation.steps.first { $0.verdict == .failed }?.name == "place")
        #expect(explanation.resource == nil)
    }

    @Test func `unavailable keys are reported as the reason`() throws {
        var request = try Fixture.request(fields: [Fixture.bearer()])
        let fixture = try Fixture(keys: nil, canWait: true)
        let explanation = fixture.authorizer.explain(&request, at: NumericDate(seconds: TestToken.now))
        #expect(explanation.rejection?.reason == .gateway(.keysUnavailable))
        #expect(explanation.steps.first { $0.verdict == .failed }?.name == "key")
    }

    @Test(arguments: [
        ("jti", "5.5", "claims"), ("iat", "1790009999", "times"), ("nbf", "1790009999", "times"),
        ("exp", "1e15", "times"),
    ])
    func `an invalid claim is reported at its step`(claim: String, value: String, step: String) throws {
        let explanation = try explanation("GET /shop/orders/7", [Fixture.bearer(.good.with(claim, value))])
        #expect(explanation.rejection?.reason == .token(.claimInvalid))
        #expect(explanation.steps.first { $0.verdict == .failed }?.name == step)
    }

    // MARK: Parts of a requirement

    private func explanation(_ policy: AccessPolicy, _ fields: [String]) throws -> Explanation {
        var request = try Fixture.request("GET /shop/x HTTP/1.1", fields: fields)
        return try Fixture(rules: [("GET /x", policy)]).authorizer.explain(
            &request, at: NumericDate(seconds: TestToken.now))
    }

    @Test func `each alternative is reported with the part that it lacks or satisfies`() throws {
        let policy = AccessPolicy.requiring([
            .anyOf([
                [.allScopes(["write"])], [.issuer(oneOf: ["main"]), .anyRole(["admin"])],
                [.noClaims([ClaimPath(member: "act")])],
            ])
        ])
        let refused = try explanation(policy, [Fixture.bearer(.good.with("act", "{}"))])
        let failed = refused.steps.first { $0.verdict == .failed }
        #expect(failed?.name == "any of")
        #expect(
            failed?.detail
                == "needs scopes, or issuer and roles, or absent; 1 lacks scopes: needs write; the token has: read; "
                + "2 lacks roles: needs one of admin; the token has: no role; 3 lacks absent: needs none of act; the token has: act"
        )
        let permitted = try explanation(policy, [Fixture.bearer(.good.with("roles", #""admin""#))])
        #expect(permitted.steps.first { $0.name == "any of" }?.detail.contains("; 2 holds; 3 holds") == true)
        #expect(permitted.status == 200)
    }

    @Test func `a claim with a forbidden value is reported with that value`() throws {
        let choice = ClaimChoice(values: [.string("guest")], patterns: [try ClaimPattern("temp/*")])
        let policy = AccessPolicy.requiring([.claimOtherThan(ClaimPath(member: "type"), choice)])
        let step = try explanation(policy, [Fixture.bearer(.good.with("type", #""temp/7""#))]).steps.first {
            $0.verdict == .failed
        }
        #expect(step?.name == "not type")
        #expect(step?.detail == #"type is "temp/7"; accepted: any but guest, temp/* (glob)"#)
    }

    @Test func `an anonymous request has one step for credentials, and a bad token has its own steps`() throws {
        let policy = AccessPolicy.requiring([.allScopes(["read"])]).madeOptional
        let anonymous = try explanation(policy, [])
        #expect(
            verdicts(anonymous) == [
                "path: passed", "place: passed", "rule: passed", "credentials: passed", "forward: passed",
            ])
        #expect(anonymous.steps[3].detail == "none, and the rule needs none: forwarded without an identity")
        #expect(
            try explanation(policy, [Fixture.bearer()]).steps.contains { $0.name == "scopes" && $0.verdict == .passed })
        let basic = try explanation(policy, ["Authorization: Basic dTpw"])
        #expect(basic.steps.first { $0.verdict == .failed }?.name == "credentials")
    }
}
