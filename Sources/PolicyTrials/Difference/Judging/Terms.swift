import AccessControl
import RequestAuthorization
import TokenVerification

/// Requirements of one configuration on the token of one request.
struct Terms {
    let key: RuleKey
    /// The issuer whose token this is. Nil if no trusted issuer has issued it, or if the request is anonymous.
    let issuer: TrustedIssuer?
    /// Test that the token must meet so that the request is forwarded with its identity.
    let permitted: TokenTest
    /// Whether a request that the rule refuses is forwarded anonymously.
    let isObserved: Bool

    /// - Parameters:
    ///   - fields: header fields with the token.
    ///   - bare: verdict on the same request without credentials.
    init(
        _ side: PolicySide, _ place: RequestPlace?, _ rule: RuleInPlace?, _ identity: IssuerIdentity,
        _ fields: TokenFields,
        bare: JudgedRequest
    ) {
        // A request that is refused before its rule is found has no rule.
        key = RuleKey(resource: bare.resource, rule: bare.rule)
        guard let place, !bare.isClosed, place.terms.isForwarded(by: place.upstream) else {
            (issuer, permitted, isObserved) = (nil, .always(false), false)
            return
        }
        let used = place.terms.tokenPlaces.filter(fields.fill)
        let isDouble = used.count > 1 && rule.map { $0.policy != .public } ?? false
        let isPassed = rule != nil && place.terms.passesAuthorization && fields.contains(.authorization)
        // Two tokens, and a token that would be passed, are refused even where the rule is only observed.
        if isDouble
            || isPassed && side.issuers.contains(where: { $0.identifiers.contains { $0.matches(identity.identifier) } })
        {
            (issuer, permitted, isObserved) = (nil, .always(false), false)
            return
        }
        isObserved = place.isObserved(rule)
        (issuer, permitted) = Self.permission(side, place, rule, identity, fields)
    }

    /// Test that the token must meet so that the request is forwarded at all, with its identity or anonymously.
    var forwarded: TokenTest { isObserved ? .always(true) : permitted }

    /// Cases in which the request is forwarded: each with a test of the token and the issuer of the forwarded identity.
    ///
    /// - Parameter other: test that the token meets as well, so that parts that both tests share are not negated.
    func ways(knowing other: TokenTest) -> [Way] {
        let own = Way(test: permitted, issuer: issuer)
        return isObserved ? [own, Way(test: permitted.negated(knowing: other), issuer: nil)] : [own]
    }

    struct Way {
        let test: TokenTest
        /// The issuer whose token this is. Nil if no trusted issuer has issued it, or if the request is anonymous.
        let issuer: TrustedIssuer?
    }

    private static func permission(
        _ side: PolicySide, _ place: RequestPlace, _ rule: RuleInPlace?, _ identity: IssuerIdentity,
        _ fields: TokenFields
    ) -> (TrustedIssuer?, TokenTest) {
        guard let rule else { return (nil, .always(false)) }
        guard rule.policy != .public else { return (nil, .always(true)) }
        guard place.terms.tokenPlaces.contains(where: fields.contains) else {
            // The request is anonymous, unless it has an `Authorization` field, which this resource ignores.
            let isAnonymous = place.terms.passesAuthorization || !fields.haveAuthorization
            return (nil, .always(rule.policy.permitsAnonymous && isAnonymous))
        }
        guard let (issuer, audiences) = place.terms.accepted(identity, among: side.issuers) else {
            return (nil, .always(false))
        }
        guard let identifier = issuer.identifier(of: identity) else { return (issuer, .always(false)) }
        let good = issuer.test(audiences: audiences, identifier: identifier)
        return (issuer, .all([good, rule.policy.test(of: issuer, rule.parameters)]))
    }
}
