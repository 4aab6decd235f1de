import AccessControl
import HTTPMessages
import JOSE
import KeySets
import KnownTokens
import TokenVerification

/// Tokens: what is remembered of them, what they are found to be, and whether they are sufficient.
extension RequestWalk {
    // MARK: Known tokens

    /// What is remembered of the token; `request.record` holds it. Whether it is one at all is not asked: only tokens
    /// are remembered.
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

    /// The answer to a known token that is refused without details of its own.
    ///
    /// - Parameter claims: what the token says; seldom asked, because it has to be read for that.
    private mutating func interruption(
        _ refusal: KnownTokens.Refusal, _ rule: RuleInForce, _ claims: () -> ClaimsSet?
    ) -> Interruption {
        let issuer = authorizer.rules(of: facts.issuer)
        switch refusal {
        case .token(let rejection):
            facts.stage = .token(.times)
            facts.hint = issuer?.hint(for: rejection, claims: nil)
            return rule.rejection(RejectionReason(rejection), maxAge: issuer?.maxAuthenticationAge)
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
        // What is no compact JWS, with dots or without, is opaque: only its issuer can read it.
        let parts: CompactJWS
        do throws(CompactJWSRejection) {
            parts = try CompactJWS(bytes)
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
            throw TokenRefusal(error, .form)
        }
        return try verify(token, bytes, request, rule, memory)
    }

    /// Bytes of a token up to which every client's is read. To read so many costs several checks of a signature, if it
    /// is written for that: of a client whose verifications are spent, no longer one is read. Whoever sends a longer
    /// one that is no good has spent a verification.
    private static let longestUncounted = 4 * 1024

    /// Whether all of a token was read, and is read again for `detail`, for nothing: it is long, and malformed or of no
    /// issuer that is trusted.
    private func isReadInVain(_ credentials: Range<Int>, _ refusal: TokenRefusal) -> Bool {
        guard !facts.isOpaque, credentials.count > Self.longestCheap else { return false }
        return refusal.check <= .issuer || refusal.rejection == .malformed
    }

    /// Bytes of a token up to which reading it twice costs no more than two requests whose signatures are checked,
    /// whatever is in it.
    private static let longestCheap = 1024

    static let rateLimited = Interruption.reject(Rejection(.gateway(.rateLimited), retryAfter: .seconds(1)))

    /// Every check of a token, in the verifier's order; the keys are those of one snapshot.
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
        // A token that passed one issuer's rules is not verified for another's, although both may have the same `iss`
        // and keys.
        let isProved = memory.provedIssuer == accepted.issuer
        if memory.provedIssuer != nil { facts.cache = isProved ? .hit : .miss }
        let (answer, mayVerify, now, assumed) = (request.keyAnswer, request.maySpendVerification, now, assumed)
        // Before the keys: should one of them go meanwhile, what it proves is not kept.
        let keyEpochs = isProved ? nil : issuer.stores.mapped(\.keyEpoch)
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
            case .wait(let keySet):
                return .missing(
                    .wait(.keys(KeyWait(issuer: accepted.issuer, keySet: keySet, keyID: token.header.keyID))))
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

    /// The answer to a token that was refused, with what the operator should know about it.
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

    /// Whether the deny list names a token that is otherwise good.
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
    /// What the operator should know about a verified token that is not sufficient.
    private func hint(for denial: Denial, _ missed: Int?, _ rule: RuleInForce, _ claims: () -> ClaimsSet?) -> String? {
        guard let issuer = authorizer.rules(of: facts.issuer) else { return nil }
        if denial == .organizationMismatch, let hint = issuer.organizationHint { return hint }
        guard let missed, let requirements = rule.policy.requirements, requirements.indices.contains(missed) else {
            return nil
        }
        return CommonMistakes.hint(for: requirements[missed], issuer: issuer, claims)
    }
}

/// What is remembered of the bytes that would be the token.
enum TokenMemory {
    /// Nothing, and nothing is to be: there is no cache, or it is not the usual form of a token.
    case off
    case unknown(TokenDigest)
    /// A key of this issuer's that is still valid has signed it, and may vouch for it; its claims are to be read again.
    case proof(by: IssuerIndex, TokenDigest)
    /// The same, and what is remembered permits the request.
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
