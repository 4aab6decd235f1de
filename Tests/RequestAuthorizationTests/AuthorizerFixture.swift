import AccessControl
import Callers
import HTTPMessages
import JOSE
import KeySets
import KnownTokens
import RequestAuthorization
import TestSupport
import Testing
import TokenIntrospection
import TokenVerification

/// An authorizer with two resources and one issuer, which has no key `k9`, and helpers to send it requests.
struct AuthorizerFixture {
    let authorizer: RequestAuthorizer
    /// The same authorizer with a cache: every request is sent to both, before and after the token is cached.
    private let twin: RequestAuthorizer
    let store: KeySetStore

    static let realm = "https://api.example/shop"

    /// Rules whose answers show whether a token was read.
    static let tokenRules: [(String, AccessPolicy)] = [
        ("GET /me", .token([])), ("GET /open", .public), ("GET /maybe", AccessPolicy.token([]).madeOptional),
        ("GET /write", .requiring([.allScopes(["write"])])),
    ]

    init(
        rules: [(String, AccessPolicy)] = Self.rules, identity: [IdentityField] = [],
        otherIdentity: [IdentityField] = [],
        keys: KeySet? = TestKeys.set, canWait: Bool = false, refusedKeyIDs: [String] = ["k9"],
        lastFetchSucceeded: Bool = true, lastFailure: String? = nil, fetchedAt: Double = TestToken.now,
        otherStores: [KeySetStore] = [],
        introspection: IntrospectionStore? = nil, digestKey: TokenDigestKey? = nil,
        configure: (inout ProtectedResource) throws -> Void = { _ in },
        other configureOther: (inout ProtectedResource) -> Void = { _ in },
        issuer configureIssuer: (inout TrustedIssuer) -> Void = { _ in }
    ) throws {
        var snapshot = KeySetSnapshot(staleLimit: .seconds(24 * 3600))
        snapshot.keys = keys
        snapshot.fetchedAt = keys == nil ? nil : NumericDate(seconds: fetchedAt)
        snapshot.canWait = canWait
        snapshot.lastFetchSucceeded = lastFetchSucceeded
        snapshot.lastFailure = lastFailure
        for keyID in refusedKeyIDs { snapshot.refused.insert(keyID, at: .now) }
        snapshot.nextAttempt = NumericDate(seconds: TestToken.now + 7)
        store = KeySetStore(snapshot)
        var issuer = TrustedIssuer(
            name: "main", identifier: "https://iss.example", algorithms: [.rs256, .es256], tokenType: .accessTokenJWT,
        )
        configureIssuer(&issuer)
        var shop = ProtectedResource(
            identifier: Self.realm,
            places: [try PlacePattern(at: "api.example/shop"), try PlacePattern(at: "/shop")],
            issuers: [AcceptedIssuer(issuer: 0, audiences: ["api"])],
            routes: try RouteTable(rules.map { try RoutePattern($0.0) }),
            policies: IndexedBy(rules.map(\.1)),
            upstreamRoutes: try RouteTable([try RoutePattern("ANY /**")]),
            upstreams: [0],
        )
        shop.identityFields = identity
        try configure(&shop)
        var other = ProtectedResource(
            identifier: "other",
            places: [try PlacePattern(at: "/other")],
            issuers: [AcceptedIssuer(issuer: 0, audiences: ["billing"])],
            routes: try RouteTable([try RoutePattern("ANY /**")]),
            policies: [.token([])],
            upstreamRoutes: try RouteTable([try RoutePattern("ANY /**")]),
            upstreams: [1],
        )
        other.identityFields = otherIdentity
        configureOther(&other)
        let keys = IssuerKeyStores(
            issuer: issuer, stores: IndexedBy([store] + otherStores), introspection: introspection)
        authorizer = try RequestAuthorizer(resources: [shop, other], issuers: [keys], digestKey: digestKey)
        twin = try RequestAuthorizer(
            resources: [shop, other], issuers: [keys], digestKey: digestKey ?? TokenDigestKey(),
            cache: VerifiedTokenCache(byteLimit: 1 << 20))
    }

    static let rules: [(String, AccessPolicy)] = [
        ("GET /orders/**", .requiring([.allScopes(["read"])])),
        ("POST /orders", .requiring([.allScopes(["write", "audit"]), .anyScope(["eu", "us"])])),
        ("GET /me", .token([])),
        ("GET,HEAD /status", .public),
        ("GET /staff", .requiring([.anyRole(["staff", "admin"])])),
        (
            "GET /sales",
            .requiring([
                .claim((try? ClaimPath("department")) ?? ClaimPath(member: "department"), oneOf: [.string("sales")])
            ])
        ),
        ("GET /office", .requiring([.client(oneOf: ["back-office"])])),
        ("GET /fresh", .requiring([.maxAge(.seconds(300))])),
        ("GET /strong", .requiring([.authenticationContext(oneOf: ["gold", "silver"])])),
        ("GET /orgs/{org}/bills", .requiring([.organization(inPath: "org")])),
    ]

    static func request(
        _ line: String = "GET /shop/orders/7 HTTP/1.1", host: String = "api.example", fields: [String] = []
    ) throws -> AuthorizationRequest {
        let text = ([line, "Host: \(host)"] + fields).joined(separator: "\r\n") + "\r\n\r\n"
        var parser = RequestHeadParser()
        guard try parser.parse(Array(text.utf8).span) == .complete else {
            throw RequestHeadRejection.malformedRequestLine
        }
        return AuthorizationRequest(head: parser.head)
    }

    static func bearer(_ token: TestToken = .good) -> String {
        "Authorization: Bearer \(token.signed(by: TestKeys.rsa))"
    }

    func outcome(_ request: AuthorizationRequest, now: Double = TestToken.now) -> AuthorizationOutcome {
        let (time, again) = (NumericDate(seconds: now), request)
        var request = request
        let outcome = authorizer.authorize(&request, at: time)
        for _ in 0..<2 {
            var again = again
            let known = twin.authorize(&again, at: time)
            #expect(
                Self.text(known) + Self.detail(known, by: twin, again) == Self.text(outcome)
                    + Self.detail(outcome, by: authorizer, request),
                "the cache makes a difference")
        }
        return outcome
    }

    /// Every externally visible part of an outcome.
    static func text(_ outcome: AuthorizationOutcome) -> String {
        switch outcome {
        case .forward(let forwarding, let facts):
            let fields = String(decoding: forwarding.identityFields, as: UTF8.self)
            let told = "\(facts.issuer ?? -1) \(facts.rule ?? -1) \(facts.isAuthenticated)"
            let token = String(decoding: forwarding.tokenField ?? [], as: UTF8.self)
            let would =
                facts.would.map { "would be \($0.label) \(facts.hint ?? "") \(facts.missed ?? -1) \(facts.stage) " }
                ?? ""
            let rest = "\(told) \(would)\(fields)\(token)"
            let path = "\(forwarding.pathStart) \(String(decoding: forwarding.strippedPrefix ?? [], as: UTF8.self))"
            return "forward \(forwarding.upstream ?? -1) \(path) \(forwarding.keepsAuthorization) \(rest)"
        case .reject(let rejection, let facts):
            let retry = rejection.retryAfter.map { "\($0)" } ?? ""
            return "\(rejection.reason.label) \(rejection.challenge?.fieldValue ?? "") \(retry) \(facts.hint ?? "")"
        case .preflight(let answer, let facts): return "\(answer.lines) \(facts.hint ?? "")"
        case .publish: return "publish"
        case .wait(let wait, _): return "wait \(wait)"
        }
    }

    /// Facts of a request that was judged by its token.
    static func facts(_ outcome: AuthorizationOutcome) -> AuthorizationFacts? {
        switch outcome {
        case .reject(_, let facts), .forward(_, let facts): facts
        case .preflight, .publish, .wait: nil
        }
    }

    /// Detail that only the operator sees.
    static func detail(
        _ outcome: AuthorizationOutcome, by authorizer: RequestAuthorizer, _ request: AuthorizationRequest
    ) -> String {
        switch outcome {
        case .reject(let rejection, let facts):
            return " " + (authorizer.detail(of: rejection.reason, request, facts) ?? "")
        case .forward(_, let facts):
            guard let would = facts.would else { return "" }
            let marks = authorizer.denyMarks(of: request, facts).map { "\($0)" } ?? ""
            return " " + (authorizer.detail(of: would, request, facts) ?? "") + marks
        case .preflight, .publish, .wait: return ""
        }
    }

    func rejection(_ request: AuthorizationRequest, now: Double = TestToken.now) -> Rejection? {
        guard case .reject(let rejection, _) = outcome(request, now: now) else { return nil }
        return rejection
    }

    func permission(_ request: AuthorizationRequest) -> (forwarding: Forwarding, facts: AuthorizationFacts)? {
        guard case .forward(let forwarding, let facts) = outcome(request) else { return nil }
        return (forwarding, facts)
    }

    func forwarding(_ request: AuthorizationRequest) -> Forwarding? {
        permission(request)?.forwarding
    }
}
