/// One issuer entry and one resource of a configuration file, under which a provider's samples give the expected
/// results.
public struct ProviderSetup: Sendable, Hashable {
    public let provider: ProviderName
    /// Name of the setup: ``standard``, or its difference from the standard setup, such as `app-only`.
    public private(set) var variant: String
    /// Parameters of the profile in the order of the file, without `profile` and `jwks_uri`.
    public private(set) var parameters: [SetupParameter]
    public private(set) var keySets: SetupKeySets
    /// Identifier of the resource.
    public let resource: String
    /// Accepted values of `aud`. Empty if the profile determines them.
    public private(set) var audiences: [String]
    /// Rules of the resource, in the order of the file.
    public let rules: [SetupRule]

    /// Name of the setup that most samples are judged under.
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
