import AccessControl
import RequestAuthorization
import TokenVerification

/// Requirements of one configuration on the token of a request.
struct Terms {
    let key: RuleKey
    /// The trusted issuer of the token. Nil if no trusted issuer has issued it.
    let issuer: TrustedIssuer?
    /// Test that the token must meet for the request to be forwarded with its identity.
    let permitted: TokenTest
    /// Whether a request that its rule refuses is forwarded all the same, as nobody's.
    let isObserved: Bool

    /// - Parameters:
    ///   - fields: where the token is.
    ///   - bare: what comes of the request without credentials.
    init(
        _ side: PolicySide, _ place: RequestPlace?, _ rule: RuleInPlace?, _ identity: IssuerIdentity,
        _ fields: [TokenPlace],
        bare: JudgedRequest
    ) {
        // A request that is refused before its rule is found falls under none.
        key = RuleKey(resource: bare.resource, rule: bare.rule)
        guard let place, !bare.isClosed, place.terms.isForwarded(by: place.upstream) else {
            (issuer, permitted, isObserved) = (nil, .always(false), false)
            return
        }
        isObserved = place.isObserved(rule)
        (issuer, permitted) = Self.permission(side, place, rule, identity, fields)
    }

    /// Test that the token must meet for the request to be forwarded at all.
    var forwarded: TokenTest { isObserved ? .always(true) : permitted }

    /// In which ways it is forwarded: what the token must be, and whose request it is then.
    func ways(knowing other: TokenTest) -> [Way] {
        let own = Way(test: permitted, issuer: issuer)
        return isObserved ? [own, Way(test: permitted.negated(knowing: other), issuer: nil)] : [own]
    }

    struct Way {
        let test: TokenTest
        /// The trusted issuer of the token. Nil if no trusted issuer has issued it.
        let issuer: TrustedIssuer?
    }

    private static func permission(
        _ side: PolicySide, _ place: RequestPlace, _ rule: RuleInPlace?, _ identity: IssuerIdentity,
        _ fields: [TokenPlace]
    ) -> (TrustedIssuer?, TokenTest) {
        guard let rule else { return (nil, .always(false)) }
        guard rule.policy != .public else { return (nil, .always(true)) }
        guard fields.contains(place.terms.tokenPlace) else {
            // Nobody's request, unless it has an `Authorization` field that is not looked at.
            return (nil, .always(rule.policy.permitsAnonymous && !fields.contains(.authorization)))
        }
        guard let (issuer, audiences) = place.terms.accepted(identity, among: side.issuers) else {
            return (nil, .always(false))
        }
        guard let identifier = issuer.identifier(of: identity) else { return (issuer, .always(false)) }
        let good = issuer.test(audiences: audiences, identifier: identifier)
        return (issuer, .all([good, rule.policy.test(of: issuer, rule.parameters)]))
    }
}
