import AccessControl
import Callers
import Foundation
import HTTPMessages
import JOSE
import JOSESigning
import KeySets
import KnownTokens
import RequestAuthorization
import TestSupport
import Testing
import TokenVerification

/// A gateway with a token cache answers every request like one without.
@Suite struct KnownTokensTests {
    /// Two authorizers with one configuration over the same key set, one of them with a cache.
    private struct Pair {
        let cached: RequestAuthorizer
        let plain: RequestAuthorizer
        let cache: VerifiedTokenCache
        var cachedRequest: AuthorizationRequest
        var plainRequest: AuthorizationRequest
        /// True if the authorizer with the cache refused the last request without verifying its token again.
        private(set) var refusedKnown = false

        /// - Parameter strict: true if the issuer requires more, and gives more hints.
        init(
            _ rules: [(String, AccessPolicy)], store: KeySetStore, key: TokenDigestKey,
            cache: VerifiedTokenCache? = nil,
            strict: Bool = false, denials: DenyList? = nil, modes: IndexedBy<RuleIndex, EnforcementMode>? = nil
        ) throws {
            let fixture = try AuthorizerFixture(
                rules: rules, identity: KnownTokensTests.identity, otherIdentity: KnownTokensTests.otherIdentity,
                configure: { shop in
                    (shop.keepsAuthorization, shop.statesClientCertificate, shop.longestIdentity) = (true, true, 64)
                    guard let modes else { return }
                    (shop.mode, shop.ruleModes) = (modes.first ?? .enforce, modes)
                },
                other: { other in
                    other.keepsAuthorization = true
                    other.tokenPlace = .field(TokenField(FieldName(fixed: "X-Token"), prefix: "jwt "))
                })
            var issuer = try #require(fixture.authorizer.issuers[0]).verifier.issuer
            issuer.maxLifetime = .seconds(7200)
            issuer.organizationUse = .onlyWhereAsked
            issuer.clientsWithoutAudience = ["app-1"]
            if strict { KnownTokensTests.makeStrict(&issuer) }
            // The same `iss` and keys under other rules, for another resource: a token cached for one must be verified
            // again for the other.
            var twin = issuer
            twin.leeway = .zero
            twin.clientsWithoutAudience = []
            twin.deniedKeys = ["e2"]
            twin.keyBinding = .policy(PolicyRule(claims: [ClaimPath(member: "client_id")], policies: ["app-1"]))
            let issuers: IndexedBy<IssuerIndex, IssuerKeyStores> = [
                IssuerKeyStores(issuer: issuer, stores: [store]), IssuerKeyStores(issuer: twin, stores: [store]),
            ]
            let resources = fixture.authorizer.resources.mapped { resource in
                guard strict, resource.identifier == "other" else { return resource }
                var resource = resource
                resource.issuers = [AcceptedIssuer(issuer: 1, audiences: ["api", "billing"])]
                return resource
            }
            let kept = cache ?? VerifiedTokenCache(byteLimit: 1 << 20)
            self.cache = kept
            cached = try RequestAuthorizer(
                resources: resources, issuers: issuers, digestKey: key, cache: kept, logged: KnownTokensTests.logged,
                denials: denials)
            plain = try RequestAuthorizer(resources: resources, issuers: issuers, denials: denials)
            let request = try AuthorizerFixture.request()
            (cachedRequest, plainRequest) = (request, request)
        }

        /// Sets the client certificate of all further requests.
        mutating func show(_ certificate: ClientCertificate?) {
            (cachedRequest.clientCertificate, plainRequest.clientCertificate) = (certificate, certificate)
        }

        /// Answers of both authorizers. The requests are reused, as on a connection.
        mutating func answers(_ head: RequestHead, at now: NumericDate) -> (String, String, TokenCacheUse?) {
            (cachedRequest.head, plainRequest.head) = (head, head)
            let one = cached.authorize(&cachedRequest, at: now)
            let other = plain.authorize(&plainRequest, at: now)
            var use: TokenCacheUse?
            if case .forward(_, let facts) = one { use = facts.cache }
            refusedKnown = if case .reject(_, let facts) = one { facts.cache == .hit } else { false }
            let texts = (
                AuthorizerFixture.text(one) + AuthorizerFixture.detail(one, by: cached, cachedRequest),
                AuthorizerFixture.text(other) + AuthorizerFixture.detail(other, by: plain, plainRequest)
            )
            if texts.0 == texts.1 {
                #expect(
                    KnownTokensTests.logged(one, cachedRequest) == KnownTokensTests.logged(other, plainRequest))
            }
            return (texts.0, texts.1, use)
        }
    }

    /// Values for the access log, some of which few tokens have.
    private static let logged: [LoggedMember] =
        [.scopes, .actor, .tenant, .organization]
        + ["department", "type", "act", "/sub", "aud", "exp"].compactMap { try? .claim(ClaimPath($0)) }

    /// The values that the access log would show.
    private static func logged(_ outcome: AuthorizationOutcome, _ request: AuthorizationRequest) -> String {
        guard let facts = AuthorizerFixture.facts(outcome) else { return "" }
        return logged.enumerated().map { index, member in
            let value = facts.hasRecord ? request.record.loggedValue(index) : facts.value(of: member)
            return " " + (value.map { "\($0.isText) \(String(decoding: $0.bytes, as: UTF8.self))" } ?? "-")
        }.joined()
    }

    private static let identity: [IdentityField] =
        [
            (IdentityValue.subject, "X-Subject"), (.scopes, "X-Scopes"), (.client, "X-Client"), (.roles, "X-Roles"),
            (.organization, "X-Org"),
            (.claim(ClaimPath(member: "department")), "X-Department"),
            (
                .chosen(
                    ClaimPath(member: "type"), among: ClaimChoice(values: [.integer(3)], patterns: RandomPolicies.types)
                ), "X-Type"
            ),
        ].compactMap { value, name in FieldName(name).map { IdentityField(value, name: $0) } }
        + [FieldName("X-Act")].compactMap {
            $0.map { IdentityField(.claim(ClaimPath(member: "act")), name: $0, longestValue: 64) }
        }

    /// One header in common with the other resource, and one whose name differs only in case.
    private static let otherIdentity: [IdentityField] = [
        (IdentityValue.scopes, "X-Scopes"), (.subject, "x-subject"), (.client, "X-App"),
    ].compactMap { value, name in FieldName(name).map { IdentityField(value, name: $0) } }

    /// No certificate, one, and one that is too long to be forwarded.
    private static let certificates: [ClientCertificate?] = [
        nil, nil, nil, nil, ClientCertificate([1, 2, 3]), ClientCertificate([4]), ClientCertificate([5]),
        ClientCertificate(Array(1...60)),
    ]

    private static let otherKey = (try? SigningKey.generate(.es256, keyID: "e2")) ?? TestKeys.ec

    /// A request head. The other resource has its token in another header.
    private static func head(_ line: String, _ token: String, host: String) throws -> RequestHead {
        try AuthorizerFixture.request(
            line, host: host, fields: ["Authorization: Bearer \(token)", "X-Token: JWT \(token)"]
        ).head
    }

    private static func makeStrict(_ issuer: inout TrustedIssuer) {
        issuer.stepUp = .claimsRequest(realm: "r", authorizationURI: "https://login.example/authorize")
        issuer.maxAuthenticationAge = .seconds(1_000)
        issuer.organizationHint = "ask for the organization"
        issuer.hints = [
            IssuerHint(.expired, if: .some([ClaimPath(member: "jti")]), "expired, with a jti"),
            IssuerHint(.expired, "expired"),
            IssuerHint(.notYetValid, "too early"), IssuerHint(.authTimeInvalid, "no auth_time"),
            IssuerHint(.audienceMismatch, if: .oneOf(ClaimPath(member: "aud"), [.string("else")]), "of another API"),
            IssuerHint(.authenticationTooOld, "too long ago"),
        ]
    }

    // MARK: Tokens and requests at random

    /// Organization that is longer than a record stores.
    private static let longOrganization = String(repeating: "o", count: 600)

    private static let lines = [
        "GET /shop/orders/7 HTTP/1.1", "POST /shop/orders HTTP/1.1", "GET /shop/me HTTP/1.1",
        "GET /shop/staff HTTP/1.1",
        "GET /shop/sales HTTP/1.1", "GET /shop/office HTTP/1.1", "GET /shop/fresh HTTP/1.1",
        "GET /shop/strong HTTP/1.1",
        "GET /shop/orgs/o1/bills HTTP/1.1", "GET /shop/orgs/\(longOrganization)/bills HTTP/1.1",
        "GET /shop/orgs/o%32/bills HTTP/1.1",
        "GET /other/x HTTP/1.1", "GET /shop/status HTTP/1.1", "GET /shop/nothing HTTP/1.1",
    ]

    private static func tokens(_ random: inout SeededGenerator, strict: Bool) -> [String] {
        let choices: [(String, [String?])] = [
            (
                "scope",
                [
                    "\"\(RandomPolicies.implying)\"", #""read""#, #""read write audit eu""#, #""READ""#, nil,
                    #"["read","us"]"#,
                    #""\u212Aread""#, #""read \u0301x""#,
                ]
            ),
            ("roles", [nil, #"["staff"]"#, #""admin""#, #"["x","user admin"]"#]),
            ("department", [nil, #""sales""#, #"["a","sales"]"#]),
            ("client_id", [#""app-1""#, #""back-office""#, "8", nil]),
            ("auth_time", [nil, "1790000500", "1789990000", "1790000900", #""x""#]),
            ("xms_cc", [nil, #"["cp1"]"#]),
            ("acr", [nil, #""gold""#, #""x""#]),
            ("organization_id", [nil, nil, nil, #""o1""#, #""o2""#, "\"\(longOrganization)\""]),
            ("aud", [#""api""#, #""api""#, #"["api","billing"]"#, #""billing""#, #""else""#, nil, "[]", "null"]),
            ("sub", [#""user-1""#, #""Ona Ė %""#, "9007199254740993", nil]),
            ("exp", ["1790003600", "1790000700", "1790001200"]), ("iat", ["1790000000", nil, "1789999000"]),
            ("nbf", [nil, nil, "1790000550", "1790000900"]), ("jti", [#""t-1""#, "9", nil]),
            ("repository", [#""acme/x""#, #"["z","acme/x/y"]"#, "7", "null", #""other""#, nil]),
            (
                "type",
                [
                    #""guest""#, #""member""#, #"["member","x"]"#, "[]", "3", "4", "true", "null", #"["x",3]"#,
                    "9223372036854775808", nil,
                ]
            ),
            (
                "grants",
                [
                    #"[{"role":"gold"},{"role":"x"}]"#, #"[{"role":["silver",7]}]"#, #"[{"role":"x"},{}]"#, "[]",
                    #"{"role":"gold"}"#, #"[null,{"role":"y"}]"#, nil,
                ]
            ),
            ("act", [#"{"sub":"x"}"#, "\"\(String(repeating: "x", count: 65))\"", nil, nil]),
        ]
        return (0..<100).map { _ in
            var token = strict ? TestToken.good.with("auth_time", "1790000500") : TestToken.good
            for (name, values) in choices where Int.random(in: 0..<3, using: &random) == 0 {
                token = token.with(name, values.randomElement(using: &random) ?? nil)
            }
            let key =
                [TestKeys.rsa, TestKeys.ec, TestKeys.ec, otherKey, TestKeys.impostor].randomElement(using: &random)
                ?? TestKeys.rsa
            return token.signed(by: key)
        }
    }

    private static func snapshot(_ random: inout SeededGenerator, at now: Double, generation: UInt64) -> KeySetSnapshot
    {
        let sets: [[SigningKey]?] = [
            [TestKeys.rsa, TestKeys.ec], [TestKeys.rsa, TestKeys.ec, otherKey], [otherKey, TestKeys.rsa, TestKeys.ec],
            [TestKeys.ec],
            [TestKeys.impostor, TestKeys.ec], nil,
        ]
        var snapshot = KeySetSnapshot(
            staleLimit: .seconds(900), lastFetchSucceeded: Bool.random(using: &random), generation: generation)
        snapshot.keys = (sets.randomElement(using: &random) ?? nil).map(TestKeys.keySet)
        snapshot.fetchedAt = snapshot.keys.map { _ in
            NumericDate(seconds: now - Double.random(in: 0...1000, using: &random))
        }
        snapshot.canWait = Int.random(in: 0..<10, using: &random) == 0
        return snapshot
    }

    /// Number of steps per seed; set by `BEARWARD_STEPS`.
    private static let steps = ProcessInfo.processInfo.environment["BEARWARD_STEPS"].flatMap { Int($0) } ?? 12_000

    @Test(arguments: Effort.some(1...8 as ClosedRange<UInt64>, quick: 2))
    func `cached and uncached verdicts agree, whatever the tokens and their order (T387, T391)`(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let isStrict = seed % 2 == 0
        let tokens = Self.tokens(&random, strict: isStrict)
        var policies = RandomPolicies()
        var (drawn, randomRules) = Self.randomRules(&policies, &random)
        let lines = Self.lines + randomRules.indices.map { "GET /shop/r\($0)/o1 HTTP/1.1" }
        let heads =
            try tokens.map { token in
                try lines.map { line in
                    try Self.head(line, token, host: Bool.random(using: &random) ? "api.example" : "else.example")
                }
            } + Self.headsWithoutGoodCredentials(lines)
        let key = try #require(TokenDigestKey())
        var now = TestToken.now
        var generation: UInt64 = 1
        let store = KeySetStore(Self.snapshot(&random, at: now, generation: generation))
        var rules = AuthorizerFixture.rules
        // Every other pair of seeds uses a deny list.
        let denials = seed % 4 > 1 ? DenyList(try #require(DenyDigests.process)) : nil
        var (denied, observed) = (0, 0)
        // In half of the seeds some rules are only observed, for a part of the time.
        var modes = Self.modes(rules.count + randomRules.count, seed, &random)
        var pair = try Pair(
            rules + randomRules, store: store, key: key, strict: isStrict, denials: denials, modes: modes)
        var (hits, refusals, differences, anonymous, tooLarge) = (0, 0, 0, 0, 0)
        // Number of times each form was judged with a cached token.
        var judged: [RandomPolicies.Form: Int] = [:]
        for _ in 0..<Self.steps {
            switch Int.random(in: 0..<900, using: &random) {
            case 0:
                // A reload: with the same rules cached tokens stay, with others they are dropped.
                if Bool.random(using: &random) {
                    pair = try Pair(
                        rules + randomRules, store: store, key: key, cache: pair.cache, strict: isStrict,
                        denials: denials,
                        modes: modes)
                } else {
                    rules.reverse()
                    (drawn, randomRules) = Self.randomRules(&policies, &random)
                    modes = Self.modes(rules.count + randomRules.count, seed, &random)
                    pair = try Pair(
                        rules + randomRules, store: store, key: key, strict: isStrict, denials: denials, modes: modes)
                }
            case 1...4:
                generation += 1
                store.publish(Self.snapshot(&random, at: now, generation: generation))
            case 5...12: now = TestToken.now + Double.random(in: -200...1_300, using: &random).rounded()
            case 13...30: try denials?.replace(.api, by: Self.randomDenials(&random, at: now))
            default: break
            }
            let line = Int.random(in: lines.indices, using: &random)
            let head = heads.randomElement(using: &random)?[line]
            if Int.random(in: 0..<50, using: &random) == 0 {
                pair.show(Self.certificates.randomElement(using: &random) ?? nil)
            }
            let (one, other, use) = pair.answers(try #require(head), at: NumericDate(seconds: now))
            #expect(one == other)
            if one != other { differences += 1 }
            if use == .hit { hits += 1 }
            if use == .hit, one.contains(" would be ") { observed += 1 }
            if pair.refusedKnown { refusals += 1 }
            if one.hasPrefix("identity_too_large"), pair.refusedKnown { tooLarge += 1 }
            if pair.refusedKnown, one.hasPrefix("denied ") { denied += 1 }
            if use == nil, one.hasPrefix("forward"), line >= Self.lines.count { anonymous += 1 }
            if use == .hit || pair.refusedKnown, line >= Self.lines.count {
                for form in drawn[line - Self.lines.count] { judged[form, default: 0] += 1 }
            }
        }
        #expect(differences == 0)
        #expect(hits > 100, "a test of what is known must meet what is known: \(hits)")
        #expect(refusals > 100, "and what is refused of it: \(refusals)")
        #expect(denials == nil || denied > 20, "and what is denied of it: \(denied)")
        #expect(modes == nil || observed > 50, "and what is only observed of it: \(observed)")
        #expect(anonymous > 5, "and nobody's requests: \(anonymous)")
        #expect(tooLarge > 5, "and identities that are too large: \(tooLarge)")
        for form in RandomPolicies.Form.allCases {
            #expect(judged[form, default: 0] > 10, "\(form) is drawn too rarely")
        }
    }

    /// Deny list entries that match some of the tokens.
    private static func randomDenials(_ random: inout SeededGenerator, at now: Double) throws -> DenyTable {
        var builder = DenyTable.Builder(try #require(DenyDigests.process))
        let values: [(DeniedAttribute, String)] = [
            (.tokenID, "t-1"), (.subject, "user-1"), (.subject, "Ona Ė %"), (.client, "back-office"), (.keyID, "e1"),
            (.session, "none"),
        ]
        for (attribute, value) in values where Int.random(in: 0..<14, using: &random) == 0 {
            let before = [nil, 1_789_999_500, 1_790_000_000, 1_790_000_001].randomElement(using: &random) ?? nil
            let entry = DenyEntry(
                issuer: "main", attribute, value, issuedBefore: before.map { NumericDate(seconds: Double($0)) },
                expires: NumericDate(seconds: now + Double.random(in: -50...500, using: &random).rounded()))
            let isAdded = builder.add(entry)
            #expect(isAdded)
        }
        return builder.table(at: NumericDate(seconds: now))
    }

    private static func modes(_ count: Int, _ seed: UInt64, _ random: inout SeededGenerator) -> IndexedBy<
        RuleIndex, EnforcementMode
    >? {
        guard seed > 4 else { return nil }
        return IndexedBy(
            (0..<count).map { _ in
                guard Int.random(in: 0..<3, using: &random) == 0 else { return .enforce }
                return .observe(
                    until: NumericDate(seconds: TestToken.now + Double.random(in: 0...1_500, using: &random).rounded()))
            })
    }

    /// A rule for each form, and the forms it contains.
    private static func randomRules(
        _ policies: inout RandomPolicies, _ random: inout SeededGenerator
    ) -> (forms: [Set<RandomPolicies.Form>], rules: [(String, AccessPolicy)]) {
        var (forms, rules): ([Set<RandomPolicies.Form>], [(String, AccessPolicy)]) = ([], [])
        for (number, form) in RandomPolicies.Form.allCases.enumerated() {
            rules.append(("GET /r\(number)/{org}", policies.policy(with: form, &random)))
            forms.append(policies.forms)
        }
        return (forms, rules)
    }

    private static func headsWithoutGoodCredentials(_ lines: [String]) throws -> [[RequestHead]] {
        let bearer = "Authorization: Bearer \(TestToken.good.signed(by: TestKeys.rsa))"
        return try [
            [], [], [], ["Authorization: Basic dTpw"], ["Authorization:"], [bearer, bearer],
            ["Authorization: Bearer a b"], [bearer],
            ["X-Token: jwt"], ["X-Token: jwt a b"], ["X-Token: jwt a", "x-token: jwt b"],
        ].map {
            fields in
            try lines.map { try AuthorizerFixture.request($0, host: "api.example", fields: fields).head }
        } + [
            lines.map {
                try AuthorizerFixture.request($0.replacing(" HTTP", with: "?access_token=x HTTP"), host: "api.example")
                    .head
            }
        ]
    }

    // MARK: One by one

    private func pair(_ cache: VerifiedTokenCache? = nil) throws -> (Pair, KeySetStore) {
        let store = KeySetStore(Self.snapshot(TestKeys.set, generation: 1))
        return (
            try Pair(AuthorizerFixture.rules, store: store, key: try #require(TokenDigestKey()), cache: cache), store
        )
    }

    private static func snapshot(_ keys: KeySet, generation: UInt64, fetchedAt: Double = TestToken.now)
        -> KeySetSnapshot
    {
        KeySetSnapshot(
            keys: keys, fetchedAt: NumericDate(seconds: fetchedAt), staleLimit: .seconds(86_400),
            lastFetchSucceeded: true,
            generation: generation)
    }

    private static let now = NumericDate(seconds: TestToken.now)

    private static func good(_ line: String = "GET /shop/me HTTP/1.1") throws -> RequestHead {
        try head(line, TestToken.good.signed(by: TestKeys.rsa), host: "api.example")
    }

    @Test func `the second request with a token is a cache hit, even for another rule and resource (T387)`() throws {
        var (pair, _) = try pair()
        let both = TestToken.good.with("aud", #"["api","billing"]"#).signed(by: TestKeys.rsa)
        #expect(
            pair.answers(try Self.head("GET /shop/me HTTP/1.1", both, host: "api.example"), at: Self.now).2 == .miss)
        #expect(pair.answers(try Self.head("GET /shop/me HTTP/1.1", both, host: "api.example"), at: Self.now).2 == .hit)
        #expect(
            pair.answers(try Self.head("GET /shop/orders/1 HTTP/1.1", both, host: "api.example"), at: Self.now).2
                == .hit)
        #expect(pair.answers(try Self.head("GET /other/1 HTTP/1.1", both, host: "api.example"), at: Self.now).2 == .hit)
    }

    @Test(arguments: [
        (Requirement.client(oneOf: ["other", "app-1"]), "client_id", #""app-1""#, #""app-2""#),
        (.organization(oneOf: ["o1", "o2"]), "organization_id", #""o2""#, #""o3""#),
        (.authenticationContext(oneOf: ["gold"]), "acr", #""gold""#, #""silver""#),
        (
            .claim(ClaimPath(members: "a", "b"), oneOf: [.integer(7), .string("x")]), "a", #"{"b":[8,7]}"#,
            #"{"b":[8,"y"]}"#
        ),
    ])
    func `a claim value that a rule requires is in the record, and other values are not`(
        requirement: Requirement, claim: String, right: String, other: String
    ) throws {
        let store = KeySetStore(Self.snapshot(TestKeys.set, generation: 1))
        let rules = [("GET /asked", AccessPolicy.requiring([requirement])), ("GET /me", .token([]))]
        var pair = try Pair(rules, store: store, key: try #require(TokenDigestKey()))
        for (value, uses) in [(right, [TokenCacheUse.miss, .hit]), (other, [nil, nil])] {
            let token = TestToken.good.with(claim, value).signed(by: TestKeys.rsa)
            let head = try Self.head("GET /shop/asked HTTP/1.1", token, host: "api.example")
            for use in uses {
                let (known, plain, actual) = pair.answers(head, at: Self.now)
                #expect(known == plain)
                #expect(known.hasPrefix("forward") == (use != nil), "\(known)")
                #expect(actual == use)
            }
        }
    }

    @Test func `a client over its limit of verifications is refused new tokens, and cached ones pass (T400)`() throws {
        var (pair, _) = try pair()
        (pair.cachedRequest.maySpendVerification, pair.plainRequest.maySpendVerification) = (false, false)
        #expect(pair.answers(try Self.good(), at: Self.now).0.hasPrefix("rate_limited"))
        pair.cachedRequest.maySpendVerification = true
        _ = pair.answers(try Self.good(), at: Self.now)
        pair.cachedRequest.maySpendVerification = false
        let (known, plain, use) = pair.answers(try Self.good(), at: Self.now)
        #expect(use == .hit)
        #expect(known.hasPrefix("forward"))
        #expect(plain.hasPrefix("rate_limited"))
    }

    @Test(arguments: [
        ("GET /shop/staff HTTP/1.1", 0.0, "role_required"), ("GET /shop/me HTTP/1.1", 3_060, "expired"),
        ("GET /shop/me HTTP/1.1", 3_359, "expired"),
        ("GET /other/1 HTTP/1.1", 0, "audience_mismatch"), ("POST /shop/orders HTTP/1.1", 0, "insufficient_scope"),
    ])
    func `a cached token is refused without verifying it again, for the same reason as an uncached one`(
        _ line: String, _ later: Double, _ reason: String
    ) throws {
        var (pair, _) = try pair()
        _ = pair.answers(try Self.good(), at: Self.now)
        #expect(!pair.refusedKnown)
        pair.cachedRequest.maySpendVerification = false
        let (known, plain, _) = pair.answers(try Self.good(line), at: Self.now + .seconds(later))
        #expect(pair.refusedKnown)
        #expect(known == plain)
        #expect(known.hasPrefix(reason), "\(known)")
    }

    /// Two issuers of one file can have the same `iss` and keys, each for a resource of its own.
    @Test func `a token verified under one issuer's rules is verified again under another's`() throws {
        let store = KeySetStore(
            Self.snapshot(TestKeys.keySet([TestKeys.rsa, TestKeys.ec, Self.otherKey]), generation: 1))
        var pair = try Pair(AuthorizerFixture.rules, store: store, key: try #require(TokenDigestKey()), strict: true)
        let token = TestToken.good.with("auth_time", "1790000500").signed(by: Self.otherKey)
        for use in [TokenCacheUse.miss, .hit] {
            #expect(
                pair.answers(try Self.head("GET /shop/me HTTP/1.1", token, host: "api.example"), at: Self.now).2 == use)
        }
        let (known, plain, _) = pair.answers(
            try Self.head("GET /other/1 HTTP/1.1", token, host: "api.example"), at: Self.now)
        #expect(known == plain)
        #expect(known.hasPrefix("unknown_kid"), "\(known)")
        #expect(!pair.refusedKnown)
    }

    @Test func `a token accepted under another issuer's rules is cached for these`() throws {
        let store = KeySetStore(Self.snapshot(TestKeys.set, generation: 1))
        var pair = try Pair(AuthorizerFixture.rules, store: store, key: try #require(TokenDigestKey()), strict: true)
        let token = TestToken.good.with("auth_time", "1790000500").signed(by: TestKeys.rsa)
        for (path, use) in [
            ("shop/me", TokenCacheUse.miss), ("other/1", .miss), ("other/1", .hit), ("shop/me", .miss),
            ("shop/me", .hit),
        ] {
            let (known, plain, actual) = pair.answers(
                try Self.head("GET /\(path) HTTP/1.1", token, host: "api.example"), at: Self.now)
            #expect(known == plain)
            #expect(actual == use, "\(path)")
        }
    }

    /// Counts against a client that keeps sending the token.
    @Test func `a refusal says that the signature was verified, unless the token was cached`() throws {
        var (pair, _) = try pair()
        let token = TestToken.good.with("organization_id", #""o2""#).signed(by: TestKeys.rsa)
        let head = try Self.head("GET /shop/orgs/o1/bills HTTP/1.1", token, host: "api.example")
        for isKnown in [false, true] {
            pair.cachedRequest.head = head
            guard case .reject(let rejection, let facts) = pair.cached.authorize(&pair.cachedRequest, at: Self.now)
            else {
                throw NotRefused()
            }
            #expect(rejection.reason == .policy(.organizationMismatch))
            #expect(facts.spentVerifications == (isKnown ? 0 : 1))
        }
    }

    /// Parsing the whole token costs as much as checking its signature.
    @Test(arguments: [
        (TestToken.good.with("y", #"{"a":1,"a":2}"#), "malformed"),
        (.good.with("iss", #""https://else.example""#), "issuer_mismatch"),
        (.good.withHeader("alg", #""none""#), "alg_not_allowed"),
        (.good.withHeader("crit", "[]"), "unsupported_header"),
    ])
    func `a long invalid token costs a verification whatever its mistake, and a short one costs none`(
        _ token: TestToken, _ reason: String
    ) throws {
        for (length, cost) in [(8, 0), (4096, 1)] {
            var (pair, _) = try pair()
            let text = token.with("x", "\"\(String(repeating: "x", count: length))\"").signed(by: TestKeys.rsa)
            let head = try Self.head("GET /shop/me HTTP/1.1", text, host: "api.example")
            #expect(pair.answers(head, at: Self.now).0.hasPrefix(reason))
            guard case .reject(_, let facts) = pair.cached.authorize(&pair.cachedRequest, at: Self.now) else {
                throw NotRefused()
            }
            #expect(facts.spentVerifications == cost)
            pair.cachedRequest.maySpendVerification = false
            #expect(pair.answers(head, at: Self.now).0.hasPrefix(cost == 1 ? "rate_limited" : reason))
        }
    }

    /// The token is parsed a second time for the detail of its refusal.
    @Test(arguments: [
        (TestToken.good.with("y", #"{"a":1,"a":2}"#), "malformed", 1),
        (.good.with("iss", #""https://else.example""#), "issuer_mismatch", 1),
        (.good.withHeader("crit", "[]"), "unsupported_header", 1),
        (.good.withHeader("typ", #""JWT""#), "typ_mismatch", 0),
    ])
    func `T541 a token over 1 KiB costs a verification if malformed or of another issuer, and a shorter one costs none`(
        _ token: TestToken, _ reason: String, _ cost: Int
    ) throws {
        func padded(_ length: Int) -> String {
            token.with("x", "\"\(String(repeating: "x", count: length))\"").signed(by: TestKeys.rsa)
        }
        var length = max(0, (1024 - padded(0).utf8.count) * 3 / 4 - 4)
        while padded(length + 1).utf8.count <= 1024 { length += 1 }
        for (length, cost) in [(length, 0), (length + 1, cost)] {
            var (pair, _) = try pair()
            let head = try Self.head("GET /shop/me HTTP/1.1", padded(length), host: "api.example")
            #expect(pair.answers(head, at: Self.now).0.hasPrefix(reason))
            guard case .reject(_, let facts) = pair.cached.authorize(&pair.cachedRequest, at: Self.now) else {
                throw NotRefused()
            }
            #expect(facts.spentVerifications == cost, "\(length)")
            // The token is short enough to be parsed for any client.
            pair.cachedRequest.maySpendVerification = false
            #expect(pair.answers(head, at: Self.now).0.hasPrefix(reason))
        }
    }

    @Test func `a long cached token costs no verification`() throws {
        var (pair, _) = try pair()
        let token = TestToken.good.with("x", "\"\(String(repeating: "x", count: 4096))\"").signed(by: TestKeys.rsa)
        let head = try Self.head("GET /shop/me HTTP/1.1", token, host: "api.example")
        #expect(pair.answers(head, at: Self.now).0.hasPrefix("forward"))
        pair.cachedRequest.maySpendVerification = false
        #expect(pair.answers(head, at: Self.now).0.hasPrefix("forward"))
    }

    private struct NotRefused: Error {}

    @Test func `an organization too long for a record is still compared`() throws {
        var (pair, _) = try pair()
        let token = TestToken.good.with("organization_id", "\"\(Self.longOrganization)\"").signed(by: TestKeys.rsa)
        for _ in 0..<2 {
            let head = try Self.head(
                "GET /shop/orgs/\(Self.longOrganization)/bills HTTP/1.1", token, host: "api.example")
            let (known, plain, _) = pair.answers(head, at: Self.now)
            #expect(known == plain)
            #expect(known.hasPrefix("forward"), "\(known)")
        }
    }

    @Test func `a token that never verified is never cached (T384)`() throws {
        var (pair, _) = try pair()
        for token in [
            TestToken.good.signed(by: TestKeys.impostor),
            TestToken.good.with("aud", #""else""#).signed(by: TestKeys.rsa),
            TestToken.good.with("exp", "1789990000").signed(by: TestKeys.rsa), "opaque",
        ] {
            _ = pair.answers(try Self.head("GET /shop/me HTTP/1.1", token, host: "api.example"), at: Self.now)
        }
        #expect(pair.cache.statistics.insertions == 0)
    }

    @Test func `a removed key invalidates its cached tokens, and an added key does not (T386, T389)`() throws {
        var (pair, store) = try pair()
        _ = pair.answers(try Self.good(), at: Self.now)
        store.publish(Self.snapshot(TestKeys.keySet([TestKeys.rsa, TestKeys.ec, Self.otherKey]), generation: 2))
        #expect(pair.answers(try Self.good(), at: Self.now).2 == .hit)
        store.publish(Self.snapshot(TestKeys.keySet([TestKeys.ec]), generation: 3))
        #expect(pair.answers(try Self.good(), at: Self.now).0.hasPrefix("key_not_asked"))
        store.publish(Self.snapshot(TestKeys.set, generation: 4))
        #expect(pair.answers(try Self.good(), at: Self.now).2 == .miss)
    }

    @Test func `a cached token is refused while its keys are stale`() throws {
        var (pair, store) = try pair()
        _ = pair.answers(try Self.good(), at: Self.now)
        store.publish(Self.snapshot(TestKeys.set, generation: 1, fetchedAt: TestToken.now - 86_400))
        #expect(pair.answers(try Self.good(), at: Self.now).0.hasPrefix("keys_unavailable"))
        store.publish(Self.snapshot(TestKeys.set, generation: 1))
        #expect(pair.answers(try Self.good(), at: Self.now).2 == .hit)
    }

    @Test func `the times of a cached token are checked on every request (T149, T386)`() throws {
        var (pair, _) = try pair()
        _ = pair.answers(try Self.good(), at: Self.now)
        let end = 1_790_003_600.0 + 60
        #expect(pair.answers(try Self.good(), at: NumericDate(seconds: end - 1)).2 == .hit)
        #expect(pair.answers(try Self.good(), at: NumericDate(seconds: end)).0.hasPrefix("expired"))
        #expect(pair.answers(try Self.good(), at: NumericDate(seconds: 1_789_999_900)).0.hasPrefix("not_yet_valid"))
    }

    /// Two values that look alike, and are equal as Swift strings, are different values in two tokens.
    @Test(
        arguments: [
            (
                "department", [Requirement.claim(ClaimPath(member: "department"), oneOf: [.string("caf\u{e9}")])],
                [Requirement.claim(ClaimPath(member: "department"), oneOf: [.string("cafe\u{301}")])]
            ),
            ("client_id", [.client(oneOf: ["caf\u{e9}"])], [.client(oneOf: ["cafe\u{301}"])]),
            ("scope", [.allScopes(["caf\u{e9}"])], [.allScopes(["cafe\u{301}"])]),
            ("scope", [.anyScope(["caf\u{e9}"])], [.anyScope(["cafe\u{301}"])]),
            ("roles", [.anyRole(["caf\u{e9}"])], [.anyRole(["cafe\u{301}"])]),
            ("acr", [.authenticationContext(oneOf: ["caf\u{e9}"])], [.authenticationContext(oneOf: ["cafe\u{301}"])]),
        ] as [(String, [Requirement], [Requirement])])
    func `a value that only looks like the required one does not satisfy it, cached or not (T178, T179)`(
        _ claim: String, _ composed: [Requirement], _ decomposed: [Requirement]
    ) throws {
        #expect(composed != decomposed)
        let store = KeySetStore(Self.snapshot(TestKeys.set, generation: 1))
        let rules: [(String, AccessPolicy)] = [
            ("GET /one", .requiring(composed)), ("GET /two", .requiring(decomposed)),
        ]
        var pair = try Pair(rules, store: store, key: try #require(TokenDigestKey()))
        for (value, own, foreign) in [("caf\u{e9}", "one", "two"), ("cafe\u{301}", "two", "one")] {
            let token = TestToken.good.with(claim, "\"\(value)\"").signed(by: TestKeys.rsa)
            for use in [TokenCacheUse.miss, .hit] {
                let answers = pair.answers(
                    try Self.head("GET /shop/\(own) HTTP/1.1", token, host: "api.example"), at: Self.now)
                #expect(answers.0 == answers.1)
                #expect(answers.2 == use)
                let others = pair.answers(
                    try Self.head("GET /shop/\(foreign) HTTP/1.1", token, host: "api.example"), at: Self.now)
                #expect(others.0 == others.1)
                #expect(others.2 == nil)
            }
        }
    }

    @Test func `an identity too long to be sent is refused, cached or not`() throws {
        var (pair, _) = try pair()
        for (length, use) in [(4096, TokenCacheUse?.some(.miss)), (4096, .some(.hit)), (4097, nil), (4097, nil)] {
            let claim = "\"" + String(repeating: "x", count: length) + "\""
            let token = TestToken.good.with("department", claim).signed(by: TestKeys.rsa)
            let answers = pair.answers(try Self.head("GET /shop/me HTTP/1.1", token, host: "api.example"), at: Self.now)
            #expect(answers.0 == answers.1)
            #expect(answers.2 == use)
        }
    }

    @Test func `each resource gets its own identity headers`() throws {
        var (pair, _) = try pair()
        let both = TestToken.good.with("aud", #"["api","billing"]"#).signed(by: TestKeys.rsa)
        for use in [TokenCacheUse.miss, .hit] {
            let shop = pair.answers(try Self.head("GET /shop/me HTTP/1.1", both, host: "api.example"), at: Self.now)
            #expect(shop.0.hasSuffix("X-Subject: user-1\r\nX-Scopes: read\r\nX-Client: app-1\r\n"))
            #expect(shop.2 == use)
            let other = pair.answers(try Self.head("GET /other/1 HTTP/1.1", both, host: "api.example"), at: Self.now)
            #expect(
                other.0.hasSuffix("X-Scopes: read\r\nx-subject: user-1\r\nX-App: app-1\r\nX-Token: JWT \(both)\r\n"))
            #expect(other.2 == .hit)
        }
    }

    /// Identity headers are cached completely, so tokens with three forwarded claims take more memory.
    @Test(.slow, arguments: [(0, 300), (3, 300)])
    func `a thousand tokens take as little memory as a million in a few hundred MiB`(
        _ identityFields: Int, _ mebibytes: Int
    )
        throws
    {
        let (limit, count) = (mebibytes << 20, 1_000)
        let identity = Array(Self.identity.prefix(identityFields))
        let fixture = try AuthorizerFixture(identity: identity)
        let cache = VerifiedTokenCache(byteLimit: limit / 1_000_000 * count)
        let authorizer = try RequestAuthorizer(
            resources: fixture.authorizer.resources, issuers: fixture.authorizer.issuers, digestKey: TokenDigestKey(),
            cache: cache)
        var request = try AuthorizerFixture.request()
        for number in 0..<count {
            let user = String(format: "\"b7e1f4a0-5d2c-4a1e-9a53-%012d\"", number)
            let jti = String(format: "\"01J9Z6H3V8Q4W2%012d\"", number)
            let token = TestToken.good.with("sub", user).with("jti", jti).with(
                "client_id", #""5f3c1b7e-2a64-4d0b-9c58-7e1a90b6d412""#
            )
            .with("scope", #""openid profile shopping:read read""#)
            request.head = try Self.head("GET /shop/me HTTP/1.1", token.signed(by: TestKeys.ec), host: "api.example")
            guard case .forward = authorizer.authorize(&request, at: Self.now) else { throw NotForwarded() }
        }
        #expect(cache.statistics.entries == count)
        #expect(cache.statistics.evictions == 0)
    }

    private struct NotForwarded: Error {}
}
