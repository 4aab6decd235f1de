import AccessControl
import HTTPMessages
import JOSE
import KeySets
import TokenIntrospection
import TokenVerification
import TypedIndices

extension RequestAuthorizer {
    /// The verdict on a token that only its issuer can read (RFC 7662): from an answer that is known, or after a wait for one.
    ///
    /// - Parameters:
    ///   - form: why the token is no compact JWS; thrown where nobody is asked about it.
    ///   - digest: of the token, where it was made already.
    func judgeOpaque(
        _ credentials: Range<Int>, _ form: TokenRejection, _ request: AuthorizationRequest, _ rule: RuleInForce,
        _ facts: inout AuthorizationFacts, digest: TokenDigest?, at now: NumericDate
    ) throws(TokenRejection) -> Verification {
        guard let accepted = rule.compiled.introspecting, let digestKey, let issuer = issuers[accepted.issuer],
            let store = issuer.introspection
        else { throw form }
        guard credentials.count <= IntrospectionConfiguration.longestToken else {
            facts.hint = Self.tooLongToAskAbout
            throw form
        }
        let verifier = issuer.verifier
        facts.isOpaque = true
        facts.issuer = verifier.issuer.name
        facts.stage = .introspection
        let token = request.head.bytes.span.extracting(credentials)
        guard let digest = digest ?? digestKey.digest(of: token) else { return .unavailable(.introspectionUnavailable, retryAfter: nil) }
        let known = request.introspectionAnswer == nil ? store.answer(for: digest, at: now) : nil
        facts.cache = known == nil ? .miss : .hit
        guard let answer = request.introspectionAnswer ?? known.map(IntrospectionAnswer.response) else {
            guard request.maySpendVerification else { return .unavailable(.rateLimited, retryAfter: .seconds(1)) }
            let bytes = Array(request.head.bytes[credentials])
            return .wait(.introspection(IntrospectionWait(issuer: accepted.issuer, digest: digest, token: bytes)))
        }
        switch answer {
        case .unavailable(let retryAfter): return .unavailable(.introspectionUnavailable, retryAfter: retryAfter)
        case .response(let response):
            facts.introspected = response.claims
            guard response.isActive else { throw .inactive }
            facts.stage = .claims
            return .verified(try verifier.judgeIntrospection(response.claims, audiences: accepted.audiences, at: now))
        }
    }

    private static let tooLongToAskAbout = "The token is longer than 4 KiB and no compact JWS: its issuer is not asked about it."
}

extension AuthorizationRequest {
    var keyAnswer: KeyAnswer? {
        if case .keys(let answer)? = answer { answer } else { nil }
    }

    var introspectionAnswer: IntrospectionAnswer? {
        if case .introspection(let answer)? = answer { answer } else { nil }
    }
}
