import AccessControl
import HTTPMessages
import KnownTokens
import TokenVerification

extension RequestAuthorizer {
    /// Verdict of the deny list on a token.
    enum Denial: Hashable {
        case none
        case by(DeniedAttribute)
        /// The cryptographic library failed, so the token cannot be looked up.
        case unknown
    }

    func denial(of token: VerifiedToken, at now: NumericDate) -> Denial {
        guard let denials else { return .none }
        guard let marks = denials.digests.marks(of: token) else { return .unknown }
        return denials.attribute(denying: marks, at: now).map { .by($0) } ?? .none
    }

    /// True if requests are checked against a deny list, even an empty one.
    public var hasDenyList: Bool { denials != nil }

    /// The deny list that requests are checked against. Nil if nothing is denied.
    public var denyList: DenyList? { denials }

    /// True if the token of an open stream could be denied now.
    public var mayDenyStreams: Bool { streamDenials?.isInUse ?? false }

    /// Deny list marks of a forwarded request's token, stored as long as the stream that it opened lasts. Nil if there
    /// is no deny list, or no token.
    ///
    /// A token that was cached before requests were checked against a list is parsed again, so call this for long-lived
    /// streams only.
    public func denyMarks(of request: borrowing AuthorizationRequest, _ facts: AuthorizationFacts?) -> DenyMarks? {
        guard let digests = streamDenials?.digests, let facts, facts.isAuthenticated || facts.would != nil else {
            return nil
        }
        if let proved = provedClaims(facts) { return digests.marks(of: proved) }
        guard facts.hasRecord else { return nil }
        return request.record.denyMarks ?? knownClaims(of: request, facts).flatMap { digests.marks(of: $0) }
    }

    /// Verdict of the deny list on a token that is rejected for another reason. `none` if the token's claims are not
    /// proved.
    func denial(ofRefused request: borrowing AuthorizationRequest, _ facts: AuthorizationFacts) -> Denial {
        guard let denials, facts.hasRecord || provedClaims(facts) != nil else { return .none }
        // A record from before the deny list existed has no marks; it belongs to an earlier configuration.
        let marks =
            provedClaims(facts).map { denials.digests.marks(of: $0) }
            ?? request.record.denyMarks
        guard let marks else { return .unknown }
        return denials.attribute(denying: marks, at: facts.time).map { .by($0) } ?? .none
    }

    private func provedClaims(_ facts: AuthorizationFacts) -> ProvedClaims? {
        if let token = facts.token { return ProvedClaims(token) }
        if let signed = facts.signed { return ProvedClaims(signed) }
        guard let answer = facts.introspected, let issuer = rules(of: facts.issuer) else { return nil }
        return ProvedClaims(answer, of: issuer)
    }

    /// True if the token that opened a stream is denied now.
    public func denies(_ marks: DenyMarks, at now: NumericDate) -> Bool {
        streamDenials?.attribute(denying: marks, at: now) != nil
    }

    /// Claims of the cached token of a forwarded request, parsed again. Its signature was checked when it was cached.
    /// Nil if the token cannot be read again, has another issuer now, or is rejected before its signature counts.
    private func knownClaims(of request: borrowing AuthorizationRequest, _ facts: AuthorizationFacts) -> ProvedClaims? {
        guard let resource = facts.resource.flatMap({ compiled[$0] }),
            let place = request.head.token(at: resource.tokenPlace(of: request.head))
        else { return nil }
        let bytes = request.head.bytes.span.extracting(place)
        guard let token = try? UnverifiedToken(bytes, knownHeaders, padding: resource.padding),
            let accepted = try? resource.issuer(of: token),
            accepted.issuer == facts.issuer, let issuer = issuers[accepted.issuer]
        else { return nil }
        do throws(TokenRefusal) {
            let verification = try issuer.verifier.verify(
                token, bytes, audiences: accepted.audiences, at: facts.time,
                key: { _ throws(TokenRejection) -> KeyFinding<Never> in .known })
            guard case .verified(let verified, _) = verification else { return nil }
            return ProvedClaims(verified)
        } catch {
            // Forwarded nevertheless, because the rule is only observed.
            return error.signed.map { ProvedClaims($0) }
        }
    }
}
