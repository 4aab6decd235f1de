import AccessControl
import HTTPMessages
import JOSE
import KeySets
import KnownTokens
import TokenIntrospection
import TokenVerification

extension RequestWalk {
    /// Judges a token that only its issuer can read (RFC 7662): from a cached introspection response, or after a wait
    /// for one.
    ///
    /// - Parameter form: the fault for which the token is no compact JWS. It is the reason of the rejection if no
    ///   issuer can be asked.
    mutating func verifyOpaque(
        _ credentials: Range<Int>, form: TokenRejection, _ request: borrowing AuthorizationRequest, _ rule: RuleInForce,
        _ memory: TokenMemory
    ) throws(TokenRefusal) -> Verification<Interruption> {
        guard let accepted = rule.compiled.introspecting, let digestKey = authorizer.digestKey,
            let issuer = authorizer.issuers[accepted.issuer], let store = issuer.introspection
        else { throw TokenRefusal(form, .form) }
        guard credentials.count <= IntrospectionConfiguration.longestToken else {
            facts.hint = Self.tooLongToAskAbout
            throw TokenRefusal(form, .form)
        }
        facts.isOpaque = true
        facts.issuer = accepted.issuer
        facts.stage = .token(.introspection)
        let token = request.head.bytes.span.extracting(credentials)
        guard let digest = memory.digest ?? digestKey.digest(of: token) else {
            return .undecided(Self.unavailable(retryAfter: nil))
        }
        let known = request.introspectionAnswer == nil ? store.answer(for: digest, at: now) : nil
        facts.cache = known == nil ? .miss : .hit
        guard let answer = request.introspectionAnswer ?? known.map(IntrospectionAnswer.response) else {
            guard request.maySpendVerification else {
                return .undecided(Self.rateLimited)
            }
            let bytes = Array(request.head.bytes[credentials])
            return .undecided(
                .wait(.token(.introspection(IntrospectionWait(issuer: accepted.issuer, digest: digest, token: bytes)))))
        }
        switch answer {
        case .unavailable(let retryAfter): return .undecided(Self.unavailable(retryAfter: retryAfter))
        case .response(let response):
            facts.introspected = response.claims
            facts.spentVerifications = 1
            guard response.isActive else { throw TokenRefusal(.inactive, .introspection, claims: response.claims) }
            return .verified(
                try issuer.verifier.judgeIntrospection(response.claims, audiences: accepted.audiences, at: now), nil)
        }
    }

    private static func unavailable(retryAfter: Duration?) -> Interruption {
        .reject(Rejection(.gateway(.introspectionUnavailable), retryAfter: retryAfter))
    }

    private static let tooLongToAskAbout =
        "The token is longer than 4 KiB and no compact JWS: its issuer is not asked about it."
}

extension AuthorizationRequest {
    var keyAnswer: KeyAnswer? {
        if case .keys(let answer)? = answer { answer } else { nil }
    }

    var introspectionAnswer: IntrospectionAnswer? {
        if case .introspection(let answer)? = answer { answer } else { nil }
    }
}
