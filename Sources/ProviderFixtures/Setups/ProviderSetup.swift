/// What a gateway's file says so that it judges a provider's samples as they expect: one issuer entry and one resource.
public struct ProviderSetup: Sendable, Hashable {
    public let provider: ProviderName
    /// Which setup of the provider it is: ``standard``, or what is special about it.
    public let variant: String
    /// The profile's parameters in the order of the file, without `profile` and `jwks_uri`.
    public let parameters: [SetupParameter]
    public let keySets: SetupKeySets
    /// The resource's identifier.
    public let resource: String
    /// What `aud` must be; empty where the profile fixes it.
    public let audiences: [String]
    /// The rules of the resource, in the order of the file.
    public let rules: [SetupRule]

    /// The variant that most samples are judged under.
    public static let standard = "standard"

    init(
        _ provider: ProviderName, variant: String = ProviderSetup.standard, _ parameters: [SetupParameter],
        keySets: SetupKeySets,
        resource: String = "orders", audiences: [String], rules: [SetupRule],
    ) {
        self.provider = provider
        self.variant = variant
        self.parameters = parameters
        self.keySets = keySets
        self.resource = resource
        self.audiences = audiences
        self.rules = rules
    }

    /// The setup with some parameters changed or added.
    func varied(
        as variant: String, _ changes: [SetupParameter], keySets: SetupKeySets? = nil, audiences: [String]? = nil,
    ) -> ProviderSetup {
        let kept = parameters.filter { parameter in !changes.contains { change in change.name == parameter.name } }
        return ProviderSetup(
            provider, variant: variant, kept + changes, keySets: keySets ?? self.keySets, resource: resource,
            audiences: audiences ?? self.audiences, rules: rules)
    }
}
