import AccessControl
import HTTPMessages
import JOSE
import JOSESigning
import KeySets
import KnownTokens
import Quotas
import RequestAuthorization
import TestSupport
import TokenVerification

/// Configuration of every gateway of a simulated fleet, and the requests of its clients.
enum SampleGateway {
    /// Content of `secret_file` of all gateways that share a store.
    static let secret = [UInt8](repeating: 7, count: 32)

    /// Authorizer as `serve` builds it: with token cache, quotas and deny list.
    static func authorizer(
        _ keys: KeySetStore, quotas: [Quota] = [], accounting: QuotaAccounting = .none, denials: DenyList? = nil
    ) throws -> RequestAuthorizer {
        let issuer = TrustedIssuer(
            name: "main", identifier: "https://iss.example", algorithms: [.rs256, .es256], tokenType: .accessTokenJWT)
        var shop = ProtectedResource(
            identifier: "https://api.example/shop", places: [try PlacePattern(at: "/shop")],
            issuers: [AcceptedIssuer(issuer: 0, audiences: ["api"])],
            routes: try RouteTable([try RoutePattern("GET /orders/**")]),
            policies: [.requiring([.allScopes(["read"])])],
            upstreamRoutes: try RouteTable([try RoutePattern("ANY /**")]), upstreams: [0])
        if !quotas.isEmpty { shop.quotas = shop.routes.routes.mapped { _ in quotas } }
        return try RequestAuthorizer(
            resources: [shop], issuers: [IssuerKeyStores(issuer: issuer, stores: [keys])], digestKey: TokenDigestKey(),
            cache: VerifiedTokenCache(byteLimit: 1 << 18), callerSecret: TokenDigestKey(derivedFrom: secret),
            accounting: accounting,
            denials: denials)
    }

    /// A token that is valid for a month of virtual time.
    static func token(_ key: SigningKey, id: String = "t-1", subject: String = "user-1") -> String {
        TestToken.good.with("exp", "1792600000").with("jti", "\"\(id)\"").with("sub", "\"\(subject)\"").signed(by: key)
    }

    static func request(_ token: String) throws -> AuthorizationRequest {
        var parser = RequestHeadParser()
        let text = "GET /shop/orders/7 HTTP/1.1\r\nHost: api.example\r\nAuthorization: Bearer \(token)\r\n\r\n"
        guard try parser.parse(Array(text.utf8).span) == .complete else {
            throw RequestHeadRejection.malformedRequestLine
        }
        return AuthorizationRequest(head: parser.head)
    }

    /// A store with keys that are never replaced, for fleets whose issuer is not tested.
    static func storeWithKeys() -> KeySetStore {
        KeySetStore(
            KeySetSnapshot(
                keys: TestKeys.set, fetchedAt: VirtualTime.date(0), staleLimit: .seconds(86_400),
                lastFetchSucceeded: true, generation: 1))
    }
}

/// Outcome of a request.
enum Fate: Hashable {
    case forwarded
    /// 401, 403 or 429.
    case refused
    /// 503.
    case unavailable
    /// It waits for keys.
    case waits
    case waitsForQuotas([QuotaCharge])

    init(_ outcome: AuthorizationOutcome) {
        switch outcome {
        case .forward: self = .forwarded
        case .wait(.token(.keys), _): self = .waits
        case .wait(.quotas(let wait), _): self = .waitsForQuotas(wait.charges)
        case .reject(let rejection, _): self = rejection.reason.status == 503 ? .unavailable : .refused
        case .wait(.token(.introspection), _), .publish, .preflight: self = .refused
        }
    }
}
