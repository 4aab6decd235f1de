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

    @Test func `the step that decided failed, and what follows was not reached`() throws {
        let explanation = try explanation("GET /shop/orders/7", [Fixture.bearer(.good.with("aud", #""x""#))])
        #expect(explanation.status == 401)
        #expect(explanation.rejection?.reason == .token(.audienceMismatch))
        #expect(
            verdicts(explanation) == [
                "path: passed", "place: passed", "rule: passed", "credentials: passed", "form: passed", "issuer: passed", "header: passed",
                "key: passed", "signature: passed", "times: passed", "audience: failed", "kind: not_reached", "subject: not_reached",
                "binding: not_reached", "scopes: not_reached", "forward: not_reached",
            ],
        )
        #expect(explanation.steps.first { $0.name == "audience" }?.detail == #"aud is "x"; accepted: api"#)
    }

    @Test func `each requirement is a step of its own`() throws {
        let explanation = try explanation("POST /shop/orders", [Fixture.bearer(.good.with("scope", #""write audit""#))])
        #expect(verdicts(explanation).suffix(3) == ["scopes: passed", "any scope: failed", "forward: not_reached"])
    }

    @Test func `a public rule has no token steps`() throws {
        let explanation = try explanation("GET /shop/status", [])
        #expect(verdicts(explanation) == ["path: passed", "place: passed", "rule: passed", "credentials: passed", "forward: passed"])
    }

    @Test func `no resource ends the walk at the place`() throws {
        let explanation = try explanation("GET /nowhere", [Fixture.bearer()])
        #expect(explanation.status == 404)
        #expect(explanation.steps.first { $0.verdict == .failed }?.name == "place")
        #expect(explanation.resource == nil)
    }

    @Test func `keys that cannot be had are the answer, not a guess`() throws {
        var request = try Fixture.request(fields: [Fixture.bearer()])
        let fixture = try Fixture(keys: nil, canWait: true)
        let explanation = fixture.authorizer.explain(&request, at: NumericDate(seconds: TestToken.now))
        #expect(explanation.rejection?.reason == .gateway(.keysUnavailable))
        #expect(explanation.steps.first { $0.verdict == .failed }?.name == "key")
    }

    @Test(arguments: [("jti", "5", "claims"), ("iat", "1790009999", "times"), ("nbf", "1790009999", "times"), ("exp", "1e15", "times")])
    func `a token with an invalid claim has a step that failed`(claim: String, value: String, step: String) throws {
        let explanation = try explanation("GET /shop/orders/7", [Fixture.bearer(.good.with(claim, value))])
        #expect(explanation.rejection?.reason == .token(.claimInvalid))
        #expect(explanation.steps.first { $0.verdict == .failed }?.name == step)
    }
}
