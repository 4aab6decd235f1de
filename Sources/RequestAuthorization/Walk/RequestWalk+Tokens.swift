import AccessControl
import HTTPMessages
import JOSE
import KeySets
import KnownTokens
import TokenVerification

/// Token stages: cache lookup, verification, and the decision whether the token is sufficient.
extension RequestWalk {
    // MARK: Known tokens

    /// Looks up the token in the cache and puts its record into `request.record`. The token's syntax is not checked:
    /// only valid tokens are cached.
    mutating func recall(
        tokenIn field: Range<Int>, at place: TokenPlace, _ request: inout AuthorizationRequest, _ rule: RuleInForce
    ) throws(Interruption) -> TokenMemory {
        guard let knownTokens = authorizer.knownTokens else {
            facts.cache = .off
            return .off
        }
        facts.cache = .miss
        let value = request.head.bytes.span.extracting(field)
        guard let presumed = place.presumedToken(in: value), let resource = facts.resource else { return .off }
        let token = field.lowerBound &+ presumed.lowerBound..<field.lowerBound &+ presumed.upperBound
        let known = request.lookedUp?.place == token ? request.lookedUp?.digest : nil
        guard let digest = known ?? knownTokens.digest(of: request.head.bytes.span.extracting(token)) else {
            return .off
        }
        request.lookedUp = LookedUpToken(place: token, digest: digest)
        switch knownTokens.judge(digest, for: resource, rule.match, path: request.path, at: now, into: &request.record)
        {
        case .unknown: return .unknown(digest)
        case .permitted(let issuer, let identityPlace):
            (facts.cache, facts.issuer) = (.hit, issuer)
            return .permission(by: issuer, identityPlace: identityPlace)
        case .proved(let issuer): return .proof(by: issuer, digest)
        case .refused(let issuer, let refusal):
            (facts.cache, facts.issuer) = (.hit, issuer)
            throw interruption(refusal, rule) { UnverifiedToken.claims(of: request.head.bytes.span.extracting(token)) }
        }
    }

    /// The rejection for a cached token, for which only the reason is known.
    ///
    /// - Parameter claims: parses the token's claims; rarely called, since it is expensive.
    private mutating func interruption(
        _ refusal: KnownTokens.Refusal, _ rule: RuleInForce, _ claims: () -> ClaimsSet?
    ) -> Interruption {
        switch refusal {
        case .token(let rejection):
            let verifier = authorizer.verifier(of: facts.issuer)
            facts.stage = .token(.times)
            facts.hint = verifier?.issuer.hint(for: rejection, claims: nil)
            return rule.rejection(RejectionReason(rejection), maxAge: verifier?.issuer.maxAuthenticationAge)
        case .denied:
            facts.stage = .denials
            return rule.rejection(.token(.denied))
        case .policy(let denial, let missed):
            (facts.stage, facts.missed) = (.policy, missed)
            facts.hint = hint(for: denial, missed, rule, claims)
            return rule.rejection(.policy(denial), issuer: facts.issuer, missed: missed)
        }
    }

    mutating func permitted(
        _ request: inout AuthorizationRequest, _ rule: RuleInForce, _ identityPlace: Int?
    ) -> Forwarding? {
        guard let forwarding = try? forwarding(of: &request, rule, for: .known(identityPlace)) else { return nil }
        facts.isAuthenticated = true
        return forwarding
    }

    // MARK: Token

    mutating func token(
        in credentials: Range<Int>, _ request: borrowing AuthorizationRequest, _ rule: RuleInForce,
        _ memory: TokenMemory
    ) throws(Interruption) -> VerifiedToken {
        facts.stage = .token(.form)
        let verification: Verification<Interruption>
        do throws(TokenRefusal) {
            verification = try verify(credentials, request, rule, memory)
        } catch {
            if isReadInVain(credentials, error), memory.provedIssuer == nil {
                facts.spentVerifications = max(facts.spentVerifications, 1)
            }
            throw interruption(error, rule)
        }
        switch verification {
        case .verified(let token, let keySet):
            if keySet != nil { facts.spentVerifications = max(facts.spentVerifications, 1) }
            facts.token = token
            facts.isAuthenticated = true
            return token
        case .undecided(let interruption): throw interruption
        }
    }

    private mutating func verify(
        _ credentials: Range<Int>, _ request: borrowing AuthorizationRequest, _ rule: RuleInForce, _ memory: TokenMemory
    ) throws(TokenRefusal) -> Verification<Interruption> {
        let bytes = request.head.bytes.span.extracting(credentials)
        // Credentials that are no compact JWS, with dots or without, are opaque: only the issuer can read them.
        let parts: CompactJWS
        do throws(CompactJWSRejection) {
            parts = try CompactJWS(bytes, padding: rule.compiled.padding)
        } catch {
            return try verifyOpaque(credentials, form: TokenRejection(error), request, rule, memory)
        }
        if bytes.count > Self.longestUncounted, memory.provedIssuer == nil {
            guard request.maySpendVerification else { return .undecided(Self.rateLimited) }
            facts.spentVerifications = 1
        }
        let token: UnverifiedToken
        do throws(TokenRejection) {
            token = try UnverifiedToken(bytes, parts: parts, authorizer.knownHeaders)
        } catch {
            guard !parts.isPadded || rule.compiled.introspecting == nil else {
                return try verifyOpaque(credentials, form: .malformed, request, rule, memory)
            }
            throw TokenRefusal(error, .form)
        }
        // Of an issuer that writes no padding, such a token is no compact JWS.
        guard !parts.isPadded || rule.compiled.acceptsPadding(of: token) else {
            return try verifyOpaque(credentials, form: .malformed, request, rule, memory)
        }
        return try verify(token, bytes, request, rule, memory)
    }

    /// Longest token, in bytes, that is parsed for every client without counting as a verification.
    ///
    /// Parsing a token of this length costs several signature checks, if it is crafted for that. A longer one is not
    /// parsed for a client whose verifications are spent. An invalid longer one counts as a verification.
    private static let longestUncounted = 4 * 1024

    /// True if parsing the whole token, and again for `detail`, was wasted: it is long, and malformed or of no trusted
    /// issuer.
    private func isReadInVain(_ credentials: Range<Int>, _ refusal: TokenRefusal) -> Bool {
        guard !facts.isOpaque, credentials.count > Self.longestCheap else { return false }
        return refusal.check <= .issuer || refusal.rejection == .malformed
    }

    /// Longest token, in bytes, whose double parsing costs no more than two requests with signature checks, whatever it
    /// contains.
    private static let longestCheap = 1024

    static let rateLimited = Interruption.reject(Rejection(.gateway(.rateLimited), retryAfter: .seconds(1)))

    /// Runs every check of a token, in the verifier's order, with the keys of one snapshot.
    private mutating func verify(
        _ token: UnverifiedToken, _ bytes: Span<UInt8>, _ request: borrowing AuthorizationRequest, _ rule: RuleInForce,
        _ memory: TokenMemory
    ) throws(TokenRefusal) -> Verification<Interruption> {
        facts.keyID = token.header.keyID
        let accepted = try rule.compiled.issuer(of: token)
        guard let issuer = authorizer.issuers[accepted.issuer] else {
            throw TokenRefusal(.issuerMismatch, .issuer, claims: token.claims)
        }
        facts.issuer = accepted.issuer
        facts.stage = .token(.key)
        // A token that passed one issuer's rules is not verified for another issuer, even if both have the same `iss`
        // and keys.
        let isProved = memory.provedIssuer == accepted.issuer
        if memory.provedIssuer != nil { facts.cache = isProved ? .hit : .miss }
        let (answer, mayVerify, now, assumed) = (request.keyAnswer, request.maySpendVerification, now, assumed)
        // Read before the keys: if a key is removed meanwhile, the verified token is not cached.
        let realm = issuer.realm(of: token)
        facts.realm = realm?.index
        let keyEpochs = isProved ? nil : issuer.keyEpochs(of: realm)
        var undecidedKey: UndecidedKey?
        let verification = try issuer.verifier.verify(
            token, bytes, audiences: accepted.audiences, at: now
        ) { identifier throws(TokenRejection) -> KeyFinding<Interruption> in
            if isProved { return .known }
            if let assumed { return .assumed(try assumed.signature(of: accepted.issuer)) }
            switch try issuer.keys(for: token, identifier: identifier, after: answer, at: now) {
            case .found(let keys):
                guard mayVerify else { return .missing(Self.rateLimited) }
                return .keys(keys)
            case .wait(let place):
                return .missing(
                    .wait(.token(.keys(KeyWait(issuer: accepted.issuer, at: place, keyID: token.header.keyID)))))
            case .undecided(let cause, let retryAfter):
                undecidedKey = cause
                return .missing(.reject(Rejection(.gateway(cause.fault), retryAfter: retryAfter)))
            }
        }
        facts.undecidedKey = undecidedKey
        if case .verified(let verified, let keySet?) = verification, let keyEpoch = keyEpochs?[keySet] {
            authorizer.knownHeaders.keep(headerOf: token, bytes)
            if let digest = memory.digest {
                authorizer.knownTokens?.keep(
                    verified, digest, issuer: accepted.issuer, keySet: keySet, keyEpoch: keyEpoch, at: now)
            }
        }
        return verification
    }

    /// The rejection of a token, with a hint for the operator.
    private mutating func interruption(_ refusal: TokenRefusal, _ rule: RuleInForce) -> Interruption {
        (facts.stage, facts.missed) = (.token(refusal.check), refusal.missed)
        facts.signed = refusal.signed
        facts.spentVerifications = max(facts.spentVerifications, refusal.signatures)
        let issuer = authorizer.rules(of: facts.issuer)
        if facts.hint == nil { facts.hint = rule.compiled.mistakes.slip(in: refusal, issuer: facts.issuer) }
        if facts.hint == nil {
            facts.hint =
                if facts.isOpaque {
                    issuer?.hint(for: refusal.rejection, ofOpaque: facts.introspected)
                } else if let issuer {
                    issuer.hint(for: refusal.rejection, claims: refusal.claims, keyID: facts.keyID)
                } else {
                    rule.compiled.hint(for: refusal)
                }
            facts.hint = facts.hint ?? rule.compiled.mistakes.hint(for: refusal, issuer: issuer)
        }
        return rule.rejection(RejectionReason(refusal.rejection), maxAge: issuer?.maxAuthenticationAge)
    }

    // MARK: Decision

    /// Rejects an otherwise valid token that the deny list names.
    mutating func judgeDenials(of token: VerifiedToken, _ rule: RuleInForce) throws(Interruption) {
        facts.stage = .denials
        switch authorizer.denial(of: token, at: now) {
        case .none: return
        case .by: throw rule.rejection(.token(.denied))
        case .unknown: throw rule.rejection(RejectionReason(.verificationUnavailable))
        }
    }

    mutating func decide(
        _ token: VerifiedToken, _ request: borrowing AuthorizationRequest, _ rule: RuleInForce
    ) throws(Interruption) {
        facts.stage = .policy
        let context = RequirementContext(
            token: token, pathParameters: rule.resource.pathParameters(of: request, in: rule.match), now: now)
        guard case .denied(let denial, let missed) = rule.policy.decide(context) else { return }
        facts.missed = missed
        facts.hint = hint(for: denial, missed, rule) { token.claims }
        throw rule.rejection(.policy(denial), token: token, issuer: facts.issuer, missed: missed)
    }
}

extension RequestWalk {
    /// Hint for the operator about a verified token that is not sufficient. Nil if no usual mistake is recognized.
    private func hint(for denial: Denial, _ missed: Int?, _ rule: RuleInForce, _ claims: () -> ClaimsSet?) -> String? {
        guard let verifier = authorizer.verifier(of: facts.issuer) else { return nil }
        if denial == .organizationMismatch, let hint = verifier.issuer.organizationHint { return hint }
        guard let missed, let requirements = rule.policy.requirements, requirements.indices.contains(missed) else {
            return nil
        }
        return CommonMistakes.hint(for: requirements[missed], verifier, claims)
    }
}

/// Result of the cache lookup for the bytes that should be the token.
enum TokenMemory {
    /// Nothing is cached, and nothing will be: there is no cache, or the token has an unusual form.
    case off
    case unknown(TokenDigest)
    /// A still valid key of this issuer signed the token and may vouch for it. The claims must be parsed again.
    case proof(by: IssuerIndex, TokenDigest)
    /// A still valid key of this issuer signed the token, and the cached record permits the request. `identityPlace` is
    /// nil if the resource forwards no identity.
    case permission(by: IssuerIndex, identityPlace: Int?)

    var digest: TokenDigest? {
        switch self {
        case .off, .permission: nil
        case .unknown(let digest), .proof(_, let digest): digest
        }
    }

    var provedIssuer: IssuerIndex? {
        switch self {
        case .off, .unknown: nil
        case .proof(let issuer, _), .permission(let issuer, _): issuer
        }
    }
}
