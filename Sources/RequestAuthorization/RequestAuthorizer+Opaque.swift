import HTTPMessages
import JOSE
import KeySets
import TokenIntrospection
import TokenVerification

extension RequestAuthorizer {
    /// The verdict on a token that only its issuer can read (RFC 7662): from an answer that is known, or after a wait for one.
    ///
    /// - Parameter digest: of the token, where it was made already.
    func judgeOpaque(
        _ credentials: Range<Int>, _ request: AuthorizationRequest, _ rule: RuleInForce, _ facts: inout AuthorizationFacts,
        digest: TokenDigest?, at now: NumericDate
    ) throws(TokenRejection) -> Verification {
        guard let accepted = rule.compiled.introspecting, let digestKey, let store = issuers[accepted.issuer].introspection else {
            throw .opaqueNotSupported
        }
        let verifier = issuers[accepted.issuer].verifier
        facts.isOpaque = true
        facts.issuer = verifier.issuer.name
        facts.stage = .introspection
        let token = request.head.bytes.span.extracting(credentials)
        guard let digest = digest ?? digestKey.digest(of: token) else { return .unavailable(.introspectionUnavailable, retryAfter: nil) }
        guard let answer = request.introspectionAnswer ?? store.answer(for: digest, at: now).map(IntrospectionAnswer.response) else {
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
}

extension AuthorizationRequest {
    var keyAnswer: KeyAnswer? {
        if case .keys(let answer)? = answer { answer } else { nil }
    }

    var introspectionAnswer: IntrospectionAnswer? {
        if case .introspection(let answer)? = answer { answer } else { nil }
    }
}
