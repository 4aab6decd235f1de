import AccessControl
import JOSE
import JOSESigning
import KeySets
import RequestAuthorization
import TestSupport
import Testing
import TokenVerification

/// The effect of an issuer's rules on the verdict: step-up, organizations, several key sets, hints.
@Suite struct IssuerRulesInForceTests {
    typealias Fixture = AuthorizerFixture

    // MARK: Step-up

    private static func stepUp(_ issuer: inout TrustedIssuer) {
        issuer.contextClassClaim = ClaimPath(member: "acrs")
        issuer.stepUp = .claimsRequest(realm: "", authorizationURI: "https://login.example/authorize")
    }

    @Test func `a client that understands claims challenges gets a claims challenge`() throws {
        let fixture = try Fixture(issuer: Self.stepUp)
        let token = TestToken.good.with("xms_cc", #"["CP1"]"#)
        let rejection = fixture.rejection(
            try Fixture.request("GET /shop/strong HTTP/1.1", fields: [Fixture.bearer(token)]))
        let expected = [
            #"Bearer realm="", authorization_uri="https://login.example/authorize", error="insufficient_claims", "#,
            #"claims="eyJhY2Nlc3NfdG9rZW4iOnsiYWNycyI6eyJlc3NlbnRpYWwiOnRydWUsInZhbHVlIjoiZ29sZCJ9fX0=", "#,
            #"resource_metadata="https://api.example/.well-known/oauth-protected-resource/shop""#,
        ]
        #expect(rejection?.reason == .policy(.authenticationTooWeak))
        #expect(rejection?.reason.status == 401)
        #expect(rejection?.challenge?.fieldValue == expected.joined())
    }

    @Test(arguments: [nil, #"["cp2"]"#, "7"])
    func `any other client gets the standard challenge (RFC 9470)`(_ capabilities: String?) throws {
        let fixture = try Fixture(issuer: Self.stepUp)
        let token = TestToken.good.with("xms_cc", capabilities)
        let rejection = fixture.rejection(
            try Fixture.request("GET /shop/strong HTTP/1.1", fields: [Fixture.bearer(token)]))
        #expect(rejection?.challenge?.error == .insufficientUserAuthentication)
        #expect(rejection?.challenge?.acrValues == "gold silver")
    }

    @Test(arguments: [
        (String?.some(#""gold""#), String?.none), (#"["x","gold"]"#, nil),
        (#""silver""#, #"plan is "silver"; required: gold"#),
        (nil, "plan is missing; required: gold"),
    ])
    func `claims that an issuer requires are checked for each of its tokens, whatever the rule`(
        _ plan: String?, _ told: String?
    ) throws {
        let check = IssuerCheck(.oneOf(ClaimPath(member: "plan"), [.string("gold")]), else: .claimNotAllowed)
        let fixture = try Fixture(issuer: { $0.claimChecks = [check] })
        var request = try Fixture.request(
            "GET /shop/me HTTP/1.1", fields: [Fixture.bearer(TestToken.good.with("plan", plan))])
        let explanation = fixture.authorizer.explain(&request, at: NumericDate(seconds: TestToken.now))
        #expect(explanation.rejection?.reason == told.map { _ in .token(.claimNotAllowed) })
        #expect(explanation.status == (told == nil ? 200 : 401))
        #expect(explanation.rejection?.challenge?.error == told.map { _ in .invalidToken })
        #expect(explanation.steps.first { $0.name == "claims" }?.verdict == (told == nil ? .passed : .failed))
        if let told { #expect(explanation.steps.first { $0.name == "claims" }?.detail == told) }
    }

    @Test func `the context class is read from the issuer's claim`() throws {
        let fixture = try Fixture(issuer: Self.stepUp)
        let good = Fixture.bearer(TestToken.good.with("acrs", #"["bronze","gold"]"#))
        #expect(fixture.forwarding(try Fixture.request("GET /shop/strong HTTP/1.1", fields: [good])) != nil)
        let elsewhere = Fixture.bearer(TestToken.good.with("acr", #""gold""#))
        #expect(
            fixture.rejection(try Fixture.request("GET /shop/strong HTTP/1.1", fields: [elsewhere]))?.reason
                == .policy(.authenticationTooWeak))
    }

    @Test(arguments: [("read", false), ("orders/read", true), ("orders/ read", false), ("x orders/read", true)])
    func `a scope counts only with the scope prefix of its issuer`(_ scopes: String, _ isPermitted: Bool) throws {
        let fixture = try Fixture(issuer: { $0.scopePrefix = "orders/" })
        let token = Fixture.bearer(TestToken.good.with("scope", "\"\(scopes)\""))
        let request = try Fixture.request(fields: [token])
        #expect((fixture.forwarding(request) != nil) == isPermitted)
    }

    @Test func `an issuer's maximum authentication age is reported like a rule's`() throws {
        let fixture = try Fixture(issuer: { $0.maxAuthenticationAge = .seconds(300) })
        let token = Fixture.bearer(TestToken.good.with("auth_time", "1790000000"))
        let rejection = fixture.rejection(try Fixture.request("GET /shop/me HTTP/1.1", fields: [token]))
        #expect(rejection?.reason == .token(.authenticationTooOld))
        #expect(rejection?.challenge?.maxAge == 300)
        #expect(rejection?.challenge?.error == .insufficientUserAuthentication)
    }

    // MARK: Organizations

    @Test(arguments: [
        (
            OrganizationUse.onlyWhereAsked, "GET /shop/me HTTP/1.1",
            RejectionReason?.some(.policy(.organizationMismatch))
        ),
        (.onlyWhereAsked, "GET /shop/orgs/o1/bills HTTP/1.1", nil),
        (.onlyWhereAsked, "GET /shop/orgs/o2/bills HTTP/1.1", .policy(.organizationMismatch)),
        (.anywhere, "GET /shop/me HTTP/1.1", nil),
    ])
    func `a token for an organization satisfies rules as the issuer's organization use allows`(
        _ use: OrganizationUse, _ line: String, _ expected: RejectionReason?
    )
        throws
    {
        let fixture = try Fixture(issuer: { $0.organizationUse = use })
        let token = Fixture.bearer(TestToken.good.with("organization_id", #""o1""#))
        #expect(fixture.rejection(try Fixture.request(line, fields: [token]))?.reason == expected)
    }

    @Test func `a token without an organization satisfies rules that require none`() throws {
        let fixture = try Fixture(issuer: { $0.organizationUse = .onlyWhereAsked })
        #expect(fixture.forwarding(try Fixture.request("GET /shop/me HTTP/1.1", fields: [Fixture.bearer()])) != nil)
    }

    // MARK: Several key sets

    private static let otherKey = (try? SigningKey.generate(.es256, keyID: "o1")) ?? TestKeys.ec
    private static let flows = PolicyRule(
        claims: [ClaimPath(member: "tfp"), ClaimPath(member: "acr")], policies: ["Sign_In", "Edit"])

    private static func store(_ keys: [SigningKey]?, canWait: Bool = false) -> KeySetStore {
        var snapshot = KeySetSnapshot(staleLimit: .seconds(3600), canWait: canWait, lastFetchSucceeded: keys != nil)
        snapshot.keys = keys.map(TestKeys.keySet)
        snapshot.fetchedAt = keys.map { _ in NumericDate(seconds: TestToken.now) }
        return KeySetStore(snapshot)
    }

    private func outcome(
        flow: String, by key: SigningKey, firstCanWait: Bool = false, other: KeySetStore = Self.store([Self.otherKey])
    ) throws -> AuthorizationOutcome {
        let fixture = try Fixture(
            keys: TestKeys.keySet([TestKeys.rsa]), canWait: firstCanWait, otherStores: [other],
            issuer: { $0.keyBinding = .policy(Self.flows) })
        let token = TestToken.good.with("tfp", "\"\(flow)\"").signed(by: key)
        return fixture.outcome(try Fixture.request("GET /shop/me HTTP/1.1", fields: ["Authorization: Bearer \(token)"]))
    }

    private func reason(_ outcome: AuthorizationOutcome) -> RejectionReason? {
        guard case .reject(let rejection, _) = outcome else { return nil }
        return rejection.reason
    }

    @Test func `each flow's tokens are verified with its own key set`() throws {
        guard case .forward = try outcome(flow: "sign_in", by: TestKeys.rsa) else { throw Unexpected() }
        guard case .forward = try outcome(flow: "EDIT", by: Self.otherKey) else { throw Unexpected() }
    }

    @Test func `a token signed with another flow's key is refused for its flow`() throws {
        #expect(reason(try outcome(flow: "Sign_In", by: Self.otherKey)) == .token(.policyNotAllowed))
        #expect(reason(try outcome(flow: "Edit", by: TestKeys.rsa)) == .token(.policyNotAllowed))
        #expect(reason(try outcome(flow: "reset", by: TestKeys.rsa)) == .token(.policyNotAllowed))
        #expect(reason(try outcome(flow: "reset", by: Self.otherKey)) == .token(.policyNotAllowed))
    }

    @Test func `before a flow mismatch is reported, the flow's own key set is fetched`() throws {
        guard case .wait(.token(let wait), _) = try outcome(flow: "Sign_In", by: Self.otherKey, firstCanWait: true)
        else {
            throw Unexpected()
        }
        #expect(wait == .keys(KeyWait(issuer: 0, at: .keySet(0), keyID: "o1")))
    }

    @Test func `a flow whose key set is missing is waited for, or answered 503`() throws {
        guard
            case .wait(.token(let wait), _) = try outcome(
                flow: "Edit", by: TestKeys.rsa, other: Self.store(nil, canWait: true))
        else {
            throw Unexpected()
        }
        #expect(wait == .keys(KeyWait(issuer: 0, at: .keySet(1), keyID: "k1")))
        #expect(
            reason(try outcome(flow: "Edit", by: TestKeys.rsa, other: Self.store(nil))) == .gateway(.keysUnavailable))
    }

    // MARK: Refused issuers and hints

    private static func knownMistakes(_ issuer: inout TrustedIssuer) {
        issuer.marksForeignTokensByNonce = true
        issuer.refusedIdentifiers = [
            RefusedIssuer(
                IssuerIdentifier(template: "https://old.example/", "/v1"), .versionNotAllowed, hint: "ask for version 2"
            )
        ]
        issuer.hints = [
            IssuerHint(.foreignResource, "the app asked for no scope"),
            IssuerHint(
                .audienceMismatch, if: .oneOf(ClaimPath(member: "aud"), [.string("graph")]), "a token for Graph"),
            IssuerHint(.opaqueNotSupported, "name the resource"),
        ]
    }

    private func verdict(_ token: TestToken) throws -> (RejectionReason?, String?) {
        let fixture = try Fixture(issuer: Self.knownMistakes)
        let request = try Fixture.request("GET /shop/me HTTP/1.1", fields: [Fixture.bearer(token)])
        guard case .reject(let rejection, let facts) = fixture.outcome(request) else { return (nil, nil) }
        return (rejection.reason, facts.hint)
    }

    @Test func `an issuer known to be a mistake is refused for its specific reason`() throws {
        let old = TestToken.good.with("iss", #""https://old.example/t1/v1""#)
        #expect(try verdict(old) == (.token(.versionNotAllowed), "ask for version 2"))
        #expect(
            try verdict(old.withHeader("nonce", #""x""#)) == (.token(.foreignResource), "the app asked for no scope"))
        #expect(
            try verdict(TestToken.good.with("iss", #""https://old.example/t1/t2/v1""#)) == (
                .token(.issuerMismatch), nil
            ))
    }

    @Test func `a hint is given only if its condition holds`() throws {
        #expect(
            try verdict(TestToken.good.withHeader("nonce", #""x""#)) == (
                .token(.foreignResource), "the app asked for no scope"
            ))
        #expect(
            try verdict(TestToken.good.with("aud", #""graph""#)) == (.token(.audienceMismatch), "a token for Graph"))
        #expect(try verdict(TestToken.good.with("aud", #""else""#)) == (.token(.audienceMismatch), nil))
    }

    @Test(arguments: [
        ("iss", #""https://iss.example/""#, "issuer_mismatch", "but for the slash at its end"),
        ("iss", #""https://ISS.example/""#, "issuer_mismatch", "but for upper and lower case"),
        ("iss", #""https://ISS.example/""#, "issuer_mismatch", "and the slash at its end"),
        ("iss", #""https://iss.example/x""#, "issuer_mismatch", nil),
        ("aud", #""api/""#, "audience_mismatch", "The token's aud is api but for the slash at its end"),
        ("aud", #"["x","API"]"#, "audience_mismatch", "The token's aud is api but for upper and lower case"),
        ("aud", #""API/""#, "audience_mismatch", "but for upper and lower case and the slash at its end"),
        ("aud", #""api//""#, "audience_mismatch", nil), ("aud", #""/""#, "audience_mismatch", nil),
        ("aud", #""app-1""#, "audience_mismatch", "the app's own client ID"),
        ("aud", #"["app-2","write"]"#, "audience_mismatch", "is a scope that a rule asks for"),
        ("aud", #""else""#, "audience_mismatch", nil), ("aud", "7", "audience_mismatch", nil),
    ])
    func `a mistake that is common with any issuer gets a hint`(
        _ claim: String, _ value: String, _ reason: String, _ words: String?
    ) throws {
        let fixture = try Fixture()
        let request = try Fixture.request(
            "GET /shop/me HTTP/1.1", fields: [Fixture.bearer(TestToken.good.with(claim, value))])
        guard case .reject(let rejection, let facts) = fixture.outcome(request) else { throw Unexpected() }
        #expect(rejection.reason.label == reason)
        #expect((facts.hint == nil) == (words == nil), "\(facts.hint ?? "")")
        if let words { #expect(facts.hint?.contains(words) == true, "\(facts.hint ?? "")") }
    }

    @Test func `a hint about a misspelled audience precedes other hints, and concerns only its own issuer`()
        throws
    {
        func hint(_ audience: String, accepted: String = "https://api.example/graph") throws -> String? {
            let fixture = try Fixture(
                configure: { $0.issuers = [AcceptedIssuer(issuer: 0, audiences: [accepted])] },
                issuer: Self.knownMistakes)
            let token = TestToken.good.with("aud", "\"\(audience)\"")
            let request = try Fixture.request("GET /shop/me HTTP/1.1", fields: [Fixture.bearer(token)])
            guard case .reject(let rejection, let facts) = fixture.outcome(request) else { throw Unexpected() }
            #expect(rejection.reason == .token(.audienceMismatch))
            return facts.hint
        }
        #expect(
            try hint("https://api.example/graph/")?.contains("https://api.example/graph but for the slash at its end")
                == true)
        #expect(
            try hint("https://api.example/graph", accepted: "https://api.example/graph/")?.contains(
                "the slash at its end") == true)
        #expect(try hint("graph") == "a token for Graph")
        #expect(try hint("graph", accepted: "graph/")?.contains("graph/ but for the slash at its end") == true)
        #expect(try hint("https://api.example") == nil)
    }

    // MARK: Names of claims

    private func hint(
        _ policy: AccessPolicy, _ claims: [(String, String)], issuer: (inout TrustedIssuer) -> Void = { _ in }
    ) throws -> (reason: String, hint: String?) {
        let fixture = try Fixture(rules: [("GET /x", policy)], issuer: issuer)
        let token = claims.reduce(TestToken.good) { $0.with($1.0, $1.1) }
        let request = try Fixture.request("GET /shop/x HTTP/1.1", fields: [Fixture.bearer(token)])
        // Cached or not: the fixture compares hints too.
        guard case .reject(let rejection, let facts) = fixture.outcome(request) else { throw Unexpected() }
        return (rejection.reason.label, facts.hint)
    }

    @Test func `a claim missed because its name contains dots gets a hint`() throws {
        let path = try ClaimPath("realm.role")
        let words =
            "The token has a claim called realm.role, but in a path each dot goes one level down: write /realm.role for that claim."
        let claim = ("realm.role", #"["staff"]"#)
        let policies: [(AccessPolicy, String)] = [
            (.requiring([.claim(path, oneOf: [.string("staff")])]), "claim_required"),
            (
                .requiring([.claimOtherThan(path, ClaimChoice(values: [.string("guest")], patterns: []))]),
                "claim_required"
            ),
            (.requiring([.noClaims([path])]), "claim_required"),
            (.requiring([.anyOf([[.claim(path, oneOf: [.string("x")])], [.anyRole(["x"])]])]), "claim_required"),
        ]
        for (policy, reason) in policies {
            let refused = try hint(policy, [claim])
            #expect(refused.reason == reason)
            #expect(refused.hint == words)
            // Another value at the path itself is a different mistake, and so is no value at all.
            #expect(try hint(policy, [("realm", #"{"role":"guest"}"#), claim]).hint == nil)
        }
        #expect(try hint(.requiring([.claim(path, oneOf: [.string("staff")])]), []).hint == nil)
        let role = try hint(.requiring([.anyRole(["staff"])]), [claim], issuer: { $0.roleClaims = [RoleClaim(path)] })
        #expect(role.reason == "role_required")
        #expect(role.hint == words)
        let scope = try hint(.requiring([.allScopes(["staff"])]), [claim], issuer: { $0.scopeClaims = [path] })
        #expect(scope.reason == "insufficient_scope")
        #expect(scope.hint == words)
        let client = try hint(
            .requiring([.client(oneOf: ["a"])]), [("realm.role", #""a""#)], issuer: { $0.clientClaims = [path] })
        #expect(client.reason == "client_required")
        #expect(client.hint == words)
        // A pointer has only one meaning.
        let pointer = try ClaimPath("/realm/role")
        #expect(try hint(.requiring([.claim(pointer, oneOf: [.string("staff")])]), [claim]).hint == nil)
    }

    @Test func `a dotted claim name that the issuer's own checks miss gets the hint too`() throws {
        let path = try ClaimPath("plan.name")
        let refused = try hint(.token([]), [("plan.name", #""gold""#)]) {
            $0.claimChecks = [IssuerCheck(.oneOf(path, [.string("gold")]), else: .claimNotAllowed)]
        }
        #expect(refused.reason == "claim_not_allowed")
        #expect(refused.hint?.contains("write /plan.name for that claim") == true)
        let client = try hint(.token([]), [("plan.name", #""app""#)]) {
            $0.clientClaims = [path]
            $0.clients = ["app"]
        }
        #expect(client.reason == "client_not_allowed")
        #expect(client.hint?.contains("write /plan.name for that claim") == true)
    }

    @Test(arguments: [
        ("at_hash", #""x""#, true), ("c_hash", #""x""#, true), ("nonce", #""x""#, true), ("token_use", #""id""#, true),
        ("typ", #""ID""#, true),
        ("token_use", #""access""#, false), ("acr", #""x""#, false),
    ])
    func `an ID token is recognised in the hint`(_ claim: String, _ value: String, _ isOne: Bool) throws {
        let fixture = try Fixture()
        let token = TestToken.good.withHeader("typ", #""JWT""#).with(claim, value)
        let request = try Fixture.request("GET /shop/me HTTP/1.1", fields: [Fixture.bearer(token)])
        guard case .reject(let rejection, let facts) = fixture.outcome(request) else { throw Unexpected() }
        #expect(rejection.reason == .token(.typeMismatch))
        #expect((facts.hint?.contains("ID token") ?? false) == isOne)
    }

    @Test func `an opaque token gets the hint of the resource's issuers`() throws {
        let fixture = try Fixture(issuer: Self.knownMistakes)
        let outcome = fixture.outcome(try Fixture.request(fields: ["Authorization: Bearer kX2m9vTq"]))
        guard case .reject(let rejection, let facts) = outcome else { throw Unexpected() }
        #expect(rejection.reason == .token(.opaqueNotSupported))
        #expect(facts.hint == "name the resource")
    }

    private struct Unexpected: Error {}
}
