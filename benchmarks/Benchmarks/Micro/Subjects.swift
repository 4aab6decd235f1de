import AccessControl
import Callers
import HTTPMessages
import JOSE
import JOSESigning
import KeySets
import KnownTokens
import RequestAuthorization
import TokenVerification

/// The head that a browser's app sends, with a token of the usual size.
final class BenchmarkRequest {
    private let bytes: [UInt8]
    private var parser = RequestHeadParser()

    init(token: String = String(repeating: "eyJhbGciOiJSUzI1NiIsImtpZCI6", count: 28)) {
        bytes = Array(
            """
            GET /api/orders/7?expand=lines HTTP/1.1\r
            Host: shopping.your-app.com\r
            Authorization: Bearer \(token)\r
            Accept: application/json\r
            Accept-Encoding: gzip, br\r
            User-Agent: ShoppingApp/4.2 (iPhone; iOS 19.1)\r
            traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r
            \r

            """.utf8)
    }

    func parse() {
        let bytes = bytes
        parser.reset()
        do {
            guard try parser.parse(bytes.span) == .complete else { preconditionFailure("the head is not whole") }
        } catch {
            preconditionFailure("\(error)")
        }
    }

    var head: RequestHead {
        parse()
        return parser.head
    }
}

/// So many rules, and a path that the last of them is for.
final class BenchmarkRoutes {
    private let table: RouteTable
    private let path: RequestPath
    private let last: RuleIndex

    init(count: Int) {
        let patterns = (0..<count).map { try? RoutePattern("GET /shop/section\($0)/items/{id}") }
        guard let table = try? RouteTable(patterns.compactMap { $0 }), table.routes.count == count else {
            preconditionFailure("the rules do not compile")
        }
        self.table = table
        var path = RequestPath()
        let target = Array("/shop/section\(count - 1)/items/7".utf8)
        guard (try? path.canonicalize(target.span)) != nil else { preconditionFailure("the path has no one form") }
        self.path = path
        last = RuleIndex(count - 1)
    }

    func match() {
        guard table.match(method: "GET".utf8.span, path: path, below: 0)?.ruleIndex == last else {
            preconditionFailure("another rule")
        }
    }
}

/// A scope rule, asked of a token that was verified for this request.
final class BenchmarkDecision {
    private let policy = AccessPolicy.requiring([.allScopes(["shopping:read", "shopping:write"])])
    private let context: RequirementContext

    init() {
        let subject = BenchmarkAuthorization(.es256, cached: false)
        guard let token = subject.verified() else { preconditionFailure("no token") }
        context = RequirementContext(token: token, now: BenchmarkAuthorization.now)
    }

    func decide() {
        guard policy.decide(context) == .granted else { preconditionFailure("not granted") }
    }
}

/// The signature of a forged token, and the key that it is not of.
final class BenchmarkSignature {
    private let key: VerificationKey
    private let algorithm: SignatureAlgorithm
    private let signature: [UInt8]
    private let signingInput: [UInt8]

    init(_ algorithm: SignatureAlgorithm) {
        do {
            let (published, forger) = (
                try SigningKey.generate(algorithm, keyID: "k1"), try SigningKey.generate(algorithm, keyID: "k1")
            )
            let document = Array(SigningKey.jwkSetJSON([published]).utf8)
            let keys = try KeySet(parsing: document.span)
            let token = Array(BenchmarkAuthorization.token(signedBy: forger).utf8)
            let jws = try UnverifiedToken(token.span).jws
            guard case .found(let key, let algorithm) = keys.key(keyID: "k1", algorithm: .exact(algorithm)),
                let signature = Base64URL.decode(token.span.extracting(jws.signature))
            else { preconditionFailure("no key") }
            (self.key, self.algorithm, self.signature, signingInput) = (
                key, algorithm, signature, Array(token[jws.signingInput])
            )
        } catch {
            preconditionFailure("\(error)")
        }
    }

    func refuse() {
        let (signature, signingInput) = (signature, signingInput)
        let verdict = key.verify(signature: signature.span, signingInput: signingInput.span, algorithm: algorithm)
        guard verdict == .invalid else { preconditionFailure("a forged signature is valid") }
    }
}

/// One request and who decides it: ten rules, three fields of identity, one issuer.
final class BenchmarkAuthorization {
    static let now = NumericDate(seconds: 1_790_000_600)

    private let authorizer: RequestAuthorizer
    private var request: AuthorizationRequest
    private let isCached: Bool

    init(_ algorithm: SignatureAlgorithm, cached: Bool, forged: Bool = false) {
        do {
            let key = try SigningKey.generate(algorithm, keyID: "k1")
            let document = Array(SigningKey.jwkSetJSON([key]).utf8)
            let keys = try KeySet(parsing: document.span)
            let signer = forged ? try SigningKey.generate(algorithm, keyID: "k1") : key
            authorizer = try Self.authorizer(keys, cached: cached)
            request = AuthorizationRequest(head: BenchmarkRequest(token: Self.token(signedBy: signer)).head)
        } catch {
            preconditionFailure("\(error)")
        }
        isCached = cached
        if !forged { authorize(firstTime: true) }
    }

    func authorize(firstTime: Bool = false) {
        guard case .forward(_, let facts) = authorizer.authorize(&request, at: Self.now) else {
            preconditionFailure("not permitted")
        }
        guard facts.cache == (isCached ? firstTime ? .miss : .hit : .off) else {
            preconditionFailure("another use of the cache")
        }
    }

    func refuse() {
        guard case .reject(let rejection, _) = authorizer.authorize(&request, at: Self.now),
            rejection.reason == .token(.badSignature)
        else {
            preconditionFailure("not refused for its signature")
        }
    }

    func verified() -> VerifiedToken? {
        guard case .forward(_, let facts) = authorizer.authorize(&request, at: Self.now) else { return nil }
        return facts.token
    }

    private static func authorizer(_ keys: KeySet, cached: Bool) throws -> RequestAuthorizer {
        let snapshot = KeySetSnapshot(
            keys: keys, fetchedAt: now, staleLimit: .seconds(86_400), lastFetchSucceeded: true, generation: 1)
        let issuer = TrustedIssuer(
            name: "customers", identifier: "https://id.your-app.com/", algorithms: .all, tokenType: .accessTokenJWT)
        let rules = (0..<9).map { "GET /aisle\($0)/**" } + ["GET /orders/{id}"]
        var resource = ProtectedResource(
            identifier: "https://shopping.your-app.com/api",
            places: [try PlacePattern(at: "shopping.your-app.com/api")],
            issuers: [AcceptedIssuer(issuer: 0, audiences: ["https://shopping.your-app.com/api"])],
            routes: try RouteTable(rules.map { try RoutePattern($0) }),
            policies: IndexedBy(rules.map { _ in .requiring([.allScopes(["shopping:read"])]) }),
            upstreamRoutes: try RouteTable([try RoutePattern("ANY /**")]),
            upstreams: [0],
        )
        resource.identityFields = [(IdentityValue.subject, "X-Subject"), (.scopes, "X-Scopes"), (.client, "X-Client")]
            .compactMap {
                value, name in FieldName(name).map { IdentityField(value, name: $0) }
            }
        return try RequestAuthorizer(
            resources: [resource], issuers: [IssuerKeyStores(issuer: issuer, stores: [KeySetStore(snapshot)])],
            digestKey: TokenDigestKey(),
            cache: cached ? VerifiedTokenCache(byteLimit: 1 << 24) : nil)
    }

    static func token(signedBy key: SigningKey) -> String {
        key.compactJWS(
            header: #"{"alg":"\#(key.algorithm.rawValue)","typ":"at+jwt","kid":"\#(key.keyID)"}"#,
            payload: """
                {"iss":"https://id.your-app.com/","aud":"https://shopping.your-app.com/api","sub":"b7e1f4a0-5d2c-4a1e-9a53-0c4f1f1f8f10",\
                "client_id":"shopping-app","scope":"openid profile shopping:read shopping:write","jti":"01J9Z6H3V8Q4W2N7T5R1K0M9XB",\
                "iat":1790000000,"exp":1790003600}
                """)
    }
}
