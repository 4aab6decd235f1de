/// Part of a gateway's file by which a provider's samples are judged as they expect: one issuer entry and one resource.
public struct ProviderSetup: Sendable, Hashable {
    public let provider: ProviderName
    /// Setup of the provider: ``standard``, or its special property.
    public private(set) var variant: String
    /// The profile's parameters in the order of the file, without `profile` and `jwks_uri`.
    public private(set) var parameters: [SetupParameter]
    public private(set) var keySets: SetupKeySets
    /// The resource's identifier.
    public let resource: String
    /// Required values of `aud`. Empty if the profile fixes them.
    public private(set) var audiences: [String]
    /// The rules of the resource, in the order of the file.
    public let rules: [SetupRule]

    /// The variant that most samples are judged under.
    public static let standard = "standard"

    init(
        _ provider: ProviderName, _ parameters: [SetupParameter],
        keySets: SetupKeySets = .one(SampleKeySet.only), resource: String = "orders", audiences: [String],
        read: SetupRequirement, write: SetupRequirement, others: [SetupRule] = [],
    ) {
        self.provider = provider
        variant = Self.standard
        self.parameters = parameters
        self.keySets = keySets
        self.resource = resource
        self.audiences = audiences
        rules =
            [SetupRule("GET", "/orders/**", read), SetupRule("POST", "/orders", write)] + others
            + [SetupRule("GET", "/me", .authenticated)]
    }

    /// The setup with some parameters changed or added.
    func varied(
        as variant: String, _ changes: [SetupParameter], keySets: SetupKeySets? = nil, audiences: [String]? = nil,
    ) -> ProviderSetup {
        var setup = self
        setup.variant = variant
        setup.parameters.removeAll { parameter in changes.contains { change in change.name == parameter.name } }
        setup.parameters += changes
        setup.keySets = keySets ?? self.keySets
        setup.audiences = audiences ?? self.audiences
        return setup
    }
}
