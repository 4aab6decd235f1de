import AccessControl
import RequestAuthorization
import TokenVerification
import TypedIndices

/// What one configuration asks of a request's token.
struct Terms {
    let key: RuleKey
    /// Whose the token is there; nil: nobody's that is trusted.
    let issuer: TrustedIssuer?
    /// What the token must be for the request to be forwarded.
    let formula: Formula

    /// - Parameters:
    ///   - fields: where the token is.
    ///   - bare: what comes of the request without credentials.
    init(
        _ side: PolicySide, _ place: RequestPlace?, _ rule: RuleInPlace?, _ identity: IssuerIdentity,
        _ fields: [TokenPlace],
        bare: Verdict
    ) {
        // A request that is refused before its rule is found falls under none.
        key = RuleKey(resource: bare.resource, rule: bare.rule)
        guard let place, let rule, !bare.isClosed, place.upstream != nil || place.terms.isForDoorsAlone else {
            (issuer, formula) = (nil, .always(false))
            return
        }
        guard rule.policy != .public else {
            (issuer, formula) = (nil, .always(true))
            return
        }
        guard fields.contains(place.terms.tokenPlace) else {
            // Nobody's request, unless it has an `Authorization` field that is not looked at.
            (issuer, formula) = (nil, .always(rule.policy.permitsAnonymous && !fields.contains(.authorization)))
            return
        }
        guard let (issuer, audiences) = place.terms.accepted(identity, among: side.issuers) else {
            (self.issuer, formula) = (nil, .always(false))
            return
        }
        let context = FormulaContext(issuer: issuer, pathParameters: rule.parameters)
        self.issuer = issuer
        formula = .all([issuer.formula(audiences: audiences, of: identity), rule.policy.formula(in: context)])
    }
}
