import AccessControl
import HTTPMessages
import JOSE
import KeySets
import KnownTokens
import StrictJSON
import TokenIntrospection
import TokenVerification

/// One request during authorisation: its head, and what was derived from it.
///
/// A connection keeps one and uses it for every request, so that the storage inside is allocated once.
public struct AuthorizationRequest: Sendable {
    public var head: RequestHead
    /// The target's path in its one form; valid once the request was authorised (RFC 3986 §6.2.2).
    public internal(set) var path = RequestPath()
    /// How a wait ended; nil before there was one. Set it before asking again.
    public var answer: AuthorizationAnswer?
    /// How the wait for the store that counts for several processes ended; nil before there was one.
    public var quotaAnswer: QuotaAnswer?
    /// By whom and when the request is counted; nil: it is not, and quotas are only named.
    public var counting: RequestCounting?
    /// What the answer states about the caller's quotas; nil: nothing. Not among the facts, which every request has.
    public var rateLimit: RateLimitFields?
    /// Whether signatures may be checked and issuers asked for this client; one whose tokens keep failing has to wait.
    /// Known tokens need neither. Nor is a token of such a client read again for the detail of its refusal.
    public var maySpendVerification = true
    /// Whether a proxy asks about it at a door, and forwards it itself.
    public var isAtDoor = false
    /// What the client showed in the TLS handshake; nil without one.
    public var clientCertificate: ClientCertificate?
    /// What is known of the token; holds that of this request's only if its facts say ``AuthorizationFacts/hasRecord``.
    public internal(set) var record = TokenRecordBytes()
    /// The lines that state the verified identity; storage that is used again.
    var identityFields: [UInt8] = []
    /// Whether `path` and `lookedUp` are of this head already, because another configuration has judged it.
    var wasRead = false
    /// What was looked up as a token, and its digest; nil: nothing was.
    var lookedUp: LookedUpToken?

    public init(head: RequestHead) {
        self.head = head
    }
}

/// Where in the head the bytes stand that were looked up as a token, and their digest.
struct LookedUpToken: Sendable {
    let place: Range<Int>
    let digest: TokenDigest
}

/// What is known about a request at its verdict: for logs, metrics and explanations.
public struct AuthorizationFacts: Sendable {
    /// When the verdict was reached.
    public let time: NumericDate
    /// The last stage reached: the one that forwarded, refused or interrupted the request.
    public internal(set) var stage = WalkStage.path
    /// Which of several things that the stage asks is not met: of the rule's requirements, or of the issuer's
    /// `claimChecks`.
    public internal(set) var missed: Int?
    /// The protected resource that the request is for.
    public internal(set) var resource: ResourceIndex?
    /// Whether pages of the request's origin may read the answer; nil before the resource is known, and for one without
    /// a policy.
    public internal(set) var origin: OriginVerdict?
    /// The rule that the request fell under.
    public internal(set) var match: RouteMatch?
    /// That rule among those of the resource.
    public var rule: RuleIndex? { match?.ruleIndex }
    /// The issuer that the token claims; the claim is proved only if `isAuthenticated`.
    public internal(set) var issuer: IssuerIndex?
    public internal(set) var keyID: String?
    /// Why the token could not be judged for want of its key; nil: it was, or came to be refused before.
    public internal(set) var undecidedKey: UndecidedKey?
    /// What the operator should know about a refusal that is usually a mistake; made of configuration only, never of
    /// the request.
    public var hint: String?
    /// What the request would be refused for if its rule were not only observed; nil: nothing.
    public internal(set) var would: RejectionReason?
    /// The token, if it was verified for this request.
    public internal(set) var token: VerifiedToken?
    /// Whether a token was needed and is valid.
    public internal(set) var isAuthenticated = false
    /// Whether the token, or what its issuer says of it, was known; nil where none was needed, or before it was looked
    /// for.
    public internal(set) var cache: TokenCacheUse?
    /// Whether the request's record describes its token, and nothing else does: a cached answer about an opaque token
    /// is a hit, and leaves the record alone; a token whose claims were read again describes itself.
    public var hasRecord: Bool { cache == .hit && !isOpaque && token == nil && signed == nil }
    /// A token whose signature is valid, and which is refused for its claims.
    public internal(set) var signed: SignedToken?
    /// What the token cost, counted in verifications: signatures that were checked for this request; one for an answer
    /// of its issuer's, and for a long token that was read.
    public internal(set) var spentVerifications = 0
    /// Whether the token is opaque to everyone but its issuer.
    public internal(set) var isOpaque = false
    /// What an opaque token's issuer said of it.
    public internal(set) var introspected: ClaimsSet?

    init(at time: NumericDate) {
        self.time = time
    }
}

extension AuthorizationFacts {
    /// The subject of the token, once its signature is verified; also if it was refused for another reason.
    public var subject: String? { token?.subject ?? proved { $0.subject.claims } }
    /// The client that the token was issued to, likewise.
    public var clientID: String? { token?.clientID ?? proved { $0.clientClaims } }
    /// `jti`, likewise.
    public var tokenID: String? { token?.tokenID ?? signed?.claims.tokenID }

    private func proved(_ paths: (TrustedIssuer) -> [ClaimPath]) -> String? {
        signed.flatMap { $0.claims.identifier(of: paths($0.verifier.issuer)) }
    }
}

/// The verdict on one request.
public enum AuthorizationOutcome: Sendable {
    case forward(Forwarding, AuthorizationFacts)
    case reject(Rejection, AuthorizationFacts)
    /// The answer to a browser that asks what a page may send.
    case preflight(PreflightAnswer, AuthorizationFacts)
    /// A document of the gateway's own, for anyone.
    case publish(PublishedDocument, AuthorizationFacts)
    case wait(for: AuthorizationWait, AuthorizationFacts)
}

/// What a request needs before it can be judged.
public enum AuthorizationWait: Sendable, Hashable {
    case keys(KeyWait)
    case introspection(IntrospectionWait)
    case quotas(QuotaWait)

    /// Why a request is refused that may not wait.
    public var unavailableReason: RejectionReason {
        switch self {
        case .keys: .gateway(.keysUnavailable)
        case .introspection: .gateway(.introspectionUnavailable)
        case .quotas: .gateway(.quotaUnavailable)
        }
    }

    /// The answer where no more requests may wait: nobody is asked for this one.
    public var crowdedOut: AuthorizationAnswer {
        if case .keys = self { .keys(.notAsked(retryAfter: .seconds(1))) } else { unavailable }
    }

    /// The answer while the issuer cannot be asked.
    public var unavailable: AuthorizationAnswer {
        switch self {
        case .keys: .keys(.unavailable(retryAfter: .seconds(1)))
        case .introspection: .introspection(.unavailable(retryAfter: .seconds(1)))
        case .quotas: .quotas(.unreachable)
        }
    }
}

extension AuthorizationWait {
    /// The same wait of a client that is known by its address, or its network's, in IPv6 form in two halves.
    public func of(clientAt high: UInt64, _ low: UInt64) -> AuthorizationWait {
        guard case .introspection(var wait) = self else { return self }
        wait.client = ClientNetwork(high: high, low: low)
        return .introspection(wait)
    }

    /// Whether an untrusted client can make it long by its choice of a token.
    public var isForIntrospection: Bool {
        if case .introspection = self { true } else { false }
    }
}

/// How a wait ended.
public enum AuthorizationAnswer: Sendable {
    case keys(KeyAnswer)
    case introspection(IntrospectionAnswer)
    case quotas(QuotaAnswer)
}

/// What a request needs before it can be judged: the issuer's word on an opaque token (RFC 7662).
public struct IntrospectionWait: Sendable, Hashable {
    public let issuer: IssuerIndex
    public let digest: TokenDigest
    /// The token itself, to be sent to its issuer and kept nowhere.
    public let token: [UInt8]
    /// The client of the request, so that introspection is shared fairly; nil: it is not known.
    public internal(set) var client: ClientNetwork?

    public init(issuer: IssuerIndex, digest: TokenDigest, token: [UInt8]) {
        self.issuer = issuer
        self.digest = digest
        self.token = token
    }
}

/// What a request needs before it can be judged: keys that were not fetched yet.
public struct KeyWait: Sendable, Hashable {
    public let issuer: IssuerIndex
    /// Which of the issuer's key sets it should be in.
    public let keySet: KeySetIndex
    /// The key looked for; nil where any key of the issuer would do.
    public let keyID: String?

    public init(issuer: IssuerIndex, keySet: KeySetIndex, keyID: String?) {
        self.issuer = issuer
        self.keySet = keySet
        self.keyID = keyID
    }
}

/// Permission to forward one request, with everything its new head needs.
public struct Forwarding: Sendable {
    /// nil: the proxy that asks at a door knows where it goes.
    public let upstream: UpstreamIndex?
    /// Where in `AuthorizationRequest.path.canonical` the forwarded path starts; at its end the path is `/`.
    public let pathStart: Int
    /// The path of the place, if it is taken off: what `X-Forwarded-Prefix` states.
    public let strippedPrefix: [UInt8]?
    /// Whether the client's `Authorization` field is forwarded.
    public let keepsAuthorization: Bool
    /// The complete field line of a token that is not in `Authorization`, if it is forwarded.
    public let tokenField: [UInt8]?
    /// Complete field lines (`Name: value CRLF`) that state the verified identity.
    public let identityFields: [UInt8]
    /// By what the request is spread over the upstream's targets, where the file says by the caller, and the token has
    /// that.
    public let spread: UInt64?
}
