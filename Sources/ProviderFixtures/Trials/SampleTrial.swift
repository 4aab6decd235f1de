/// One request with a sample, and how the gateway must answer it.
public struct SampleTrial: Sendable {
    public let sample: SampleToken
    /// Which setup the gateway has.
    public let variant: String
    public let call: SampleCall
    /// Nil if the request is forwarded.
    public let expectedReason: String?

    /// Nil if the request is forwarded and the upstream answers.
    public var expectedStatus: Int? {
        expectedReason.map(SampleToken.status)
    }

    /// The request, the token, and what is wrong with it: for a list.
    public var summary: String {
        let why = sample.why.map { why in ": " + why } ?? ""
        return "\(call.method) \(call.path) with \(sample.id)\(why)"
    }

    /// A sample where it is judged anyway.
    init(_ sample: SampleToken) {
        self.init(sample, sample.call, reason: sample.expectedReason)
    }

    init(_ sample: SampleToken, _ call: SampleCall, reason: String?) {
        self.sample = sample
        variant = sample.variant
        self.call = call
        expectedReason = reason
    }
}

extension ProviderSamples {
    /// Every sample where it is judged, and further requests with tokens that are let in: some of them ask too much.
    public var trials: [SampleTrial] {
        let further = further.compactMap { id, reason in
            sample(id: id).map { sample in SampleTrial(sample, .placeOrder, reason: reason) }
        }
        return tokens.map { token in SampleTrial(token) } + further
            + nearMisses.map { nearMiss in SampleTrial(nearMiss) }
    }

    /// Who places an order beside reading them, and why it is refused.
    private var further: [(id: String, reason: String?)] {
        switch name {
        case .entraExternal: [("entra-external/access", nil)]
        case .entraID: [("entra-id/access-v2", nil), ("entra-id/access-consumer", "insufficient_scope")]
        case .azureB2C: [("b2c/access", nil)]
        case .firebase: [("firebase/bearer", nil), ("firebase/bearer-tenant", "insufficient_scope")]
        case .logto: [("logto/access", nil), ("logto/m2m", "insufficient_scope")]
        case .auth0: [("auth0/access", "insufficient_scope")]
        case .okta: [("okta/access", "insufficient_scope")]
        case .keycloak: [("keycloak/access", nil)]
        case .cognito: [("cognito/access", "insufficient_scope")]
        case .google: [("google/id", nil)]
        case .zitadel: [("zitadel/access", "role_required")]
        case .authentik: [("authentik/access", nil)]
        case .gitHubActions: [("github-actions/job", nil)]
        case .gitLabCI: [("gitlab-ci/job", nil)]
        case .kubernetes: [("kubernetes/projected", nil)]
        case .spiffe: [("spiffe/jwt-svid", nil)]
        }
    }
}
