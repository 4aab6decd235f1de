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

    /// Digest of the token that was looked up in the cache. Nil if none was.
    public var tokenDigest: TokenDigest? { lookedUp?.digest }

    public init(head: RequestHead) {
        self.head = head
    }
}

/// Location in the head of the bytes that were looked up as a token, and their digest.
struct LookedUpToken: Sendable {
    let place: Range<Int>
    let digest: TokenDigest
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
