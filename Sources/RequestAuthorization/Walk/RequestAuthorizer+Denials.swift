import AccessControl
import HTTPMessages
import KnownTokens
import TokenVerification

extension RequestAuthorizer {
    /// What the deny list says of a token.
    enum Denial: Hashable {
        case none
        case by(DeniedAttribute)
        /// The cryptographic library failed, so it cannot be told.
        case unknown
    }

    func denial(of token: VerifiedToken, at now: NumericDate) -> Denial {
        guard let denials else { return .none }
        guard let marks = denials.digests.marks(of: token) else { return .unknown }
        return denials.attribute(denying: marks, at: now).map { .by($0) } ?? .none
    }

    /// Whether requests are judged by a deny list, whatever is on it.
    public var hasDenyList: Bool { denials != nil }

    /// What its requests are asked by; nil: nothing is denied.
    public var denyList: DenyList? { denials }

    /// Whether the token of anything that is open could be denied now.
    public var mayDenyStreams: Bool { streamDenials?.isInUse ?? false }

    /// What is kept of the token of a forwarded request for as long as what it opened lasts; nil: there is no deny
    /// list, or no token.
    ///
    /// A token that was known when no request was asked about is read again, so call it for what is long-lived alone.
    public func denyMarks(of request: borrowing AuthorizationRequest, _ facts: AuthorizationFacts?) -> DenyMarks? {
        guard let digests = streamDenials?.digests, let facts, facts.isAuthenticated || facts.would != nil else {
            return nil
        }
        if let proved = provedClaims(facts) { return digests.marks(of: proved) }
        guard facts.hasRecord else { return nil }
        return request.record.denyMarks ?? knownClaims(of: request, facts).flatMap { digests.marks(of: $0) }
    }

    /// What the deny list says of a token that is refused for something else, if it is known what its issuer says of
    /// it.
    func denial(ofRefused request: borrowing AuthorizationRequest, _ facts: AuthorizationFacts) -> Denial {
        guard let denials, facts.hasRecord || provedClaims(facts) != nil else { return .none }
        // A record that was made before there was a list has no marks, and is of an earlier configuration.
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

    /// Whether the token that something was opened with is denied by now.
    public func denies(_ marks: DenyMarks, at now: NumericDate) -> Bool {
        streamDenials?.attribute(denying: marks, at: now) != nil
    }

    /// What the token says that a forwarded request was known by: its signature was checked when it came to be known.
    private func knownClaims(of request: borrowing AuthorizationRequest, _ facts: AuthorizationFacts) -> ProvedClaims? {
        guard let resource = facts.resource.flatMap({ compiled[$0] }),
            let place = request.head.token(at: resource.tokenPlace(of: request.head))
        else { return nil }
        let bytes = request.head.bytes.span.extracting(place)
        guard let token = try? UnverifiedToken(bytes, knownHeaders), let accepted = try? resource.issuer(of: token),
            accepted.issuer == facts.issuer, let issuer = issuers[accepted.issuer]
        else { return nil }
        do throws(TokenRefusal) {
            let verification = try issuer.verifier.verify(
                token, bytes, audiences: accepted.audiences, at: facts.time,
                key: { _ throws(TokenRejection) -> KeyFinding<Never> in .known })
            guard case .verified(let verified, _) = verification else { return nil }
            return ProvedClaims(verified)
        } catch {
            // Forwarded all the same, because its rule is only observed.
            return error.signed.map { ProvedClaims($0) }
        }
    }
}
