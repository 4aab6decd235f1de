import AccessControl
import JOSE
import KeySets
import KnownTokens
import TokenVerification

/// Facts known about a request at its verdict: for logs, metrics and explanations.
public struct AuthorizationFacts: Sendable {
    /// Time of the verdict.
    public let time: NumericDate
    /// The last stage reached: the one that forwarded, rejected or interrupted the request.
    public internal(set) var stage = WalkStage.path
    /// Index of the first unmet item of the stage: among the rule's requirements, or among the issuer's `claimChecks`.
    /// Nil if the verdict does not depend on an unmet item.
    public internal(set) var missed: Int? {
        get { rare?.facts.missed }
        set { changeRare(isFact: newValue != nil) { $0.missed = newValue } }
    }
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
    public internal(set) var realm: KeySetIndex? {
        get { rare?.facts.realm }
        set { changeRare(isFact: newValue != nil) { $0.realm = newValue } }
    }
    public internal(set) var keyID: String? {
        get { rare?.facts.keyID }
        set { changeRare(isFact: newValue != nil) { $0.keyID = newValue } }
    }
    /// Reason why the token's key could not be found yet. Nil if the token was judged, or rejected before.
    public internal(set) var undecidedKey: UndecidedKey? {
        get { rare?.facts.undecidedKey }
        set { changeRare(isFact: newValue != nil) { $0.undecidedKey = newValue } }
    }
    /// Hint for the operator about a rejection that is usually a mistake. It is made from configuration only, never
    /// from the request. Nil if no usual mistake is recognized.
    public var hint: String? {
        get { rare?.facts.hint }
        set { changeRare(isFact: newValue != nil) { $0.hint = newValue } }
    }
    /// The reason for which the rule would reject the request if it were enforced, not only observed. Nil if it would
    /// not.
    public internal(set) var would: RejectionReason? {
        get { rare?.facts.would }
        set { changeRare(isFact: newValue != nil) { $0.would = newValue } }
    }
    /// Methods and request fields that the answer to a preflight permits, for the operator. Nil if it permits all that
    /// was asked, and for any other request.
    public internal(set) var narrowGrant: String? {
        get { rare?.facts.narrowGrant }
        set { changeRare(isFact: newValue != nil) { $0.narrowGrant = newValue } }
    }
    /// The token, if it was verified for this request. Nil if no token was needed, verification did not succeed, or a
    /// cache record sufficed.
    public internal(set) var token: VerifiedToken? {
        get { rare?.facts.token }
        set { changeRare(isFact: newValue != nil) { $0.token = newValue } }
    }
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
    public internal(set) var signed: SignedToken? {
        get { rare?.facts.signed }
        set { changeRare(isFact: newValue != nil) { $0.signed = newValue } }
    }
    /// Cost of the token, in verifications: signatures checked for this request, one for an introspection response, one
    /// for a long token that was parsed.
    public internal(set) var spentVerifications = 0
    /// True if only the issuer can read the token (it is opaque).
    public internal(set) var isOpaque = false
    /// The issuer's introspection response about an opaque token. Nil if there is no response, or the token is not
    /// opaque.
    public internal(set) var introspected: ClaimsSet? {
        get { rare?.facts.introspected }
        set { changeRare(isFact: newValue != nil) { $0.introspected = newValue } }
    }

    /// Facts that few requests have. Kept apart, because facts are copied several times on their way, and most requests
    /// should not pay for these. Nil if the request has none of them.
    private var rare: RareFacts.Box?

    init(at time: NumericDate) {
        self.time = time
    }

    /// - Parameter isFact: False for a nil, which is only written over something.
    private mutating func changeRare(isFact: Bool, _ change: (inout RareFacts) -> Void) {
        guard isFact || rare != nil else { return }
        var facts = rare?.facts ?? RareFacts()
        change(&facts)
        rare = RareFacts.Box(facts)
    }
}

/// Facts of the same names, as far as few requests have them.
private struct RareFacts: Sendable {
    var missed: Int?
    var realm: KeySetIndex?
    var keyID: String?
    var undecidedKey: UndecidedKey?
    var hint: String?
    var would: RejectionReason?
    var narrowGrant: String?
    var token: VerifiedToken?
    var signed: SignedToken?
    var introspected: ClaimsSet?

    /// A shared copy of the facts.
    final class Box: Sendable {
        let facts: RareFacts

        init(_ facts: RareFacts) {
            self.facts = facts
        }
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

    /// A value of the token for the access log. It is known for the same tokens as ``subject``. Nil for other tokens,
    /// and if the token has no such value.
    public func value(of member: LoggedMember) -> LoggedValue? {
        if let token { return member.value(in: token.claims, of: token.verifier) }
        return signed.flatMap { member.value(in: $0.claims, of: $0.verifier) }
    }
    /// True if the token is proved: verified, or with a valid signature and rejected for another reason.
    public var isProved: Bool { hasRecord || token != nil || signed != nil }

    private func proved(_ paths: (TrustedIssuer) -> [ClaimPath]) -> String? {
        signed.flatMap { $0.claims.identifier(of: paths($0.verifier.issuer)) }
    }
}
