import AccessControl
import HTTPMessages
import JOSE
import KeySets
import KnownTokens
import StrictJSON
import TokenIntrospection
import TokenVerification

/// A request during authorization: its head, and data derived from it.
///
/// A connection keeps one and uses it for every request, so that the storage inside is allocated once.
public struct AuthorizationRequest: Sendable {
    public var head: RequestHead
    /// The target's path in its canonical form; valid after the request was authorized (RFC 3986 §6.2.2).
    public internal(set) var path = RequestPath()
    /// Result of the wait for the token. Nil before that wait. Set it before you call `authorize` again.
    public var answer: TokenAnswer?
    /// Result of the wait for the shared quota store. Nil before that wait. Set it before you call `authorize` again.
    public var quotaAnswer: QuotaAnswer?
    /// Client network and time by which the request is counted. Nil if it is not counted; then quotas are only named.
    public var counting: RequestCounting?
    /// Rate limit fields that the response states. Nil if it states none. Kept outside the facts, which every request
    /// has.
    public var rateLimit: RateLimitFields?
    /// True if this client's tokens may be verified and issuers asked about them. False for a client whose tokens keep
    /// failing; it has to wait.
    ///
    /// A cached token needs neither. A token of a client that has to wait is not parsed again for the detail of its
    /// rejection either.
    public var maySpendVerification = true
    /// True if a forward auth proxy asks about the request at a door, and forwards the request itself.
    public var isAtDoor = false
    /// The certificate that the client sent in the TLS handshake. Nil if it sent none.
    public var clientCertificate: ClientCertificate?
    /// Cache record of the token. It belongs to this request only if its facts say ``AuthorizationFacts/hasRecord``.
    public internal(set) var record = TokenRecordBytes()
    /// Field lines that state the verified identity; the storage is reused.
    var identityFields: [UInt8] = []
    /// True if `path` and `lookedUp` already belong to this head, because another configuration has judged it.
    var wasRead = false
    /// The token that was looked up in the cache, and its digest. Nil if none was.
    var lookedUp: LookedUpToken?

    public init(head: RequestHead) {
        self.head = head
    }
}

/// Location in the head of the bytes that were looked up as a token, and their digest.
struct LookedUpToken: Sendable {
    let place: Range<Int>
    let digest: TokenDigest
}

/// Facts known about a request at its verdict: for logs, metrics and explanations.
public struct AuthorizationFacts: Sendable {
    /// Time of the verdict.
    public let time: NumericDate
    /// The last stage reached: the one that forwarded, rejected or interrupted the request.
    public internal(set) var stage = WalkStage.path
    /// Index of the first unmet item of the stage: among the rule's requirements, or among the issuer's `claimChecks`.
    /// Nil if the verdict does not depend on an unmet item.
    public internal(set) var missed: Int?
    /// The protected resource that the request is for. Nil if no resource matches, or the request was answered before
    /// the resource was determined.
    public internal(set) var resource: ResourceIndex?
    /// CORS verdict on the request's origin: may its pages read the response? Nil before the resource is known, and for
    /// a resource without a CORS policy.
    public internal(set) var origin: OriginVerdict?
    /// The rule that matched the request. Nil if none matched, or the request was answered before.
    public internal(set) var match: RouteMatch?
    /// Index of the matched rule in the resource. Nil if no rule matched, or the request was answered before.
    public var rule: RuleIndex? { match?.ruleIndex }
    /// The trusted issuer that the token claims, or that is asked about an opaque token. Count it as proved only if
    /// `isAuthenticated`. Nil if no token was read, or no trusted issuer fits it.
    public internal(set) var issuer: IssuerIndex?
    /// Index of the realm that the token names. Nil if it has no place, or its issuer has no realms by pattern.
    public internal(set) var realm: KeySetIndex?
    public internal(set) var keyID: String?
    /// Reason why the token's key could not be found yet. Nil if the token was judged, or rejected before.
    public internal(set) var undecidedKey: UndecidedKey?
    /// Hint for the operator about a rejection that is usually a mistake. It is made from configuration only, never
    /// from the request. Nil if no usual mistake is recognized.
    public var hint: String?
    /// The reason for which the rule would reject the request if it were enforced, not only observed. Nil if it would
    /// not.
    public internal(set) var would: RejectionReason?
    /// The token, if it was verified for this request. Nil if no token was needed, verification did not succeed, or a
    /// cache record sufficed.
    public internal(set) var token: VerifiedToken?
    /// True if a token was needed and is valid.
    public internal(set) var isAuthenticated = false
    /// Cache result (hit, miss or off) for the token or its introspection response. Nil if no token was needed, or
    /// before the lookup.
    public internal(set) var cache: TokenCacheUse?
    /// True if the request's cache record describes its token, and nothing else does.
    ///
    /// A cached introspection response is a hit too, but does not use the record. A token whose claims were parsed
    /// again describes itself.
    public var hasRecord: Bool { cache == .hit && !isOpaque && token == nil && signed == nil }
    /// The token that verification rejected although its signature is valid. Nil for any other token, and without a
    /// token.
    public internal(set) var signed: SignedToken?
    /// Cost of the token, in verifications: signatures checked for this request, one for an introspection response, one
    /// for a long token that was parsed.
    public internal(set) var spentVerifications = 0
    /// True if only the issuer can read the token (it is opaque).
    public internal(set) var isOpaque = false
    /// The issuer's introspection response about an opaque token. Nil if there is no response, or the token is not
    /// opaque.
    public internal(set) var introspected: ClaimsSet?

    init(at time: NumericDate) {
        self.time = time
    }
}

extension AuthorizationFacts {
    /// The subject of a verified token, or of one with a valid signature that was rejected for another reason. Nil if
    /// the token has no subject, is not proved, or is described by its cache record (``hasRecord``).
    public var subject: String? { token?.subject ?? proved { $0.subject.claims } }
    /// Index of the claim with the ``subject``, among those of the issuer's rule. Nil without a subject.
    public var subjectClaim: Int? {
        if let token { return token.subjectClaim }
        return signed.flatMap { token in
            token.verifier.issuer.subject.claims.firstIndex { token.claims.identifier(of: [$0]) != nil }
        }
    }
    /// The client that the token was issued to. It is known for the same tokens as ``subject``. Nil for other tokens,
    /// and if no claim names the client.
    public var clientID: String? { token?.clientID ?? proved { $0.clientClaims } }
    /// The `jti` of the token. It is known for the same tokens as ``subject``. Nil for other tokens, and if `jti` is
    /// absent or not an identifier.
    public var tokenID: String? { token?.tokenID ?? signed?.claims.tokenID }

    private func proved(_ paths: (TrustedIssuer) -> [ClaimPath]) -> String? {
        signed.flatMap { $0.claims.identifier(of: paths($0.verifier.issuer)) }
    }
}

/// The verdict on a request.
public enum AuthorizationOutcome: Sendable {
    case forward(Forwarding, AuthorizationFacts)
    case reject(Rejection, AuthorizationFacts)
    /// The response to a CORS preflight.
    case preflight(PreflightAnswer, AuthorizationFacts)
    /// A document of the gateway itself, public to everyone.
    case publish(PublishedDocument, AuthorizationFacts)
    case wait(for: AuthorizationWait, AuthorizationFacts)
}

/// Wait that a request needs before it can be judged: for its token's issuer or for the quota store.
public enum AuthorizationWait: Sendable, Hashable {
    case token(TokenWait)
    case quotas(QuotaWait)

    /// The rejection reason for a request that is not allowed to wait.
    public var unavailableReason: RejectionReason {
        switch self {
        case .token(let wait): wait.unavailableReason
        case .quotas: .gateway(.quotaUnavailable)
        }
    }
}

/// Wait for a token's issuer: for its keys or its introspection response.
public enum TokenWait: Sendable, Hashable {
    case keys(KeyWait)
    case introspection(IntrospectionWait)

    /// The rejection reason for a request that is not allowed to wait.
    public var unavailableReason: RejectionReason {
        switch self {
        case .keys: .gateway(.keysUnavailable)
        case .introspection: .gateway(.introspectionUnavailable)
        }
    }

    /// The answer for this request if no more requests may wait: the issuer is not asked.
    public var crowdedOut: TokenAnswer {
        if case .keys = self { .keys(.notAsked(retryAfter: .seconds(1))) } else { unavailable }
    }

    /// The answer if the issuer cannot be asked.
    public var unavailable: TokenAnswer {
        switch self {
        case .keys: .keys(.unavailable(retryAfter: .seconds(1)))
        case .introspection: .introspection(.unavailable(retryAfter: .seconds(1)))
        }
    }
}

extension TokenWait {
    /// Returns this wait with the client's network set, if it is for introspection. The network is an address or prefix
    /// in IPv6 form, in two halves.
    public func of(clientAt high: UInt64, _ low: UInt64) -> TokenWait {
        guard case .introspection(var wait) = self else { return self }
        wait.client = ClientNetwork(high: high, low: low)
        return .introspection(wait)
    }

    /// True if the wait is for a realm that the client chose, and that may not exist.
    public var isForUnknownRealm: Bool {
        if case .keys(let wait) = self, case .realm = wait.place { true } else { false }
    }

    /// True if the wait is for introspection: an untrusted client can make it long by its choice of token.
    public var isForIntrospection: Bool {
        if case .introspection = self { true } else { false }
    }
}

/// Result of a wait for a token's issuer.
public enum TokenAnswer: Sendable {
    case keys(KeyAnswer)
    case introspection(IntrospectionAnswer)
}

/// The introspection response that a request with an opaque token must wait for (RFC 7662).
public struct IntrospectionWait: Sendable, Hashable {
    public let issuer: IssuerIndex
    public let digest: TokenDigest
    /// The token itself. It is sent to its issuer and stored nowhere.
    public let token: [UInt8]
    /// The client of the request, so that introspection is shared fairly among clients. Nil if unknown.
    public internal(set) var client: ClientNetwork?

    public init(issuer: IssuerIndex, digest: TokenDigest, token: [UInt8]) {
        self.issuer = issuer
        self.digest = digest
        self.token = token
    }
}

/// The key set fetch that a request must wait for before its token can be judged.
public struct KeyWait: Sendable, Hashable {
    public let issuer: IssuerIndex
    public let place: KeyPlace
    /// The key ID looked for. Nil if any key of the issuer would do.
    public let keyID: String?

    public init(issuer: IssuerIndex, at place: KeyPlace, keyID: String?) {
        self.issuer = issuer
        self.place = place
        self.keyID = keyID
    }
}

/// Key set of an issuer that should have a key.
public enum KeyPlace: Sendable, Hashable {
    case keySet(KeySetIndex)
    /// The key set of a realm that had no place when the token was judged. The client chose its name.
    case realm(String)
}

/// Permission to forward a request, with everything its new head needs.
public struct Forwarding: Sendable {
    /// The upstream group. Nil at a door: the forward auth proxy knows where the request goes.
    public let upstream: UpstreamIndex?
    /// Offset in `AuthorizationRequest.path.canonical` of the path to forward. If it is the end, the path is `/`.
    public let pathStart: Int
    /// The resource's path prefix, if it is stripped: the value of `X-Forwarded-Prefix`. Nil if nothing is stripped.
    public let strippedPrefix: [UInt8]?
    /// True if the client's `Authorization` field is forwarded: with its token, or passed unjudged.
    public let keepsAuthorization: Bool
    /// Complete field line of a forwarded token that the client sent elsewhere than in `Authorization`. Nil if no token
    /// is forwarded, or it was in `Authorization`.
    public let tokenField: [UInt8]?
    /// Complete field lines (`Name: value CRLF`) that state the verified identity.
    public let identityFields: [UInt8]
    /// Hash of the caller attribute by which the request is assigned to an upstream target. Nil if the configuration
    /// does not spread by caller, or the token lacks the attribute.
    public let spread: UInt64?
}
