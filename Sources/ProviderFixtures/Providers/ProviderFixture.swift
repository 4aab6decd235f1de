/// Everything that is stated here of one provider.
///
/// Every name and number is made up.
protocol ProviderFixture: Sendable {
    /// The setups that the samples are judged under, the standard one first.
    static var setups: [ProviderSetup] { get }
    /// The key sets that the provider publishes, the one of its usual tokens first.
    static var keySets: [SampleKeySet] { get }
    /// Nil where clients ask for scopes by the names that tokens have.
    static var scopeNaming: ScopeNaming? { get }
    /// Claims that the scopes of an access token stand in, each with all of them.
    static var scopeClaims: [SampleScopeClaim] { get }
    /// Tokens that read orders, tried once more at placing one.
    static var orders: [SampleOrder] { get }
    /// Tokens that the provider gives out: access tokens first.
    static var tokens: [SampleSource] { get }
    /// Tokens that look like them and must be refused.
    static var nearMisses: [NearMissSource] { get }
}

extension ProviderFixture {
    static var scopeNaming: ScopeNaming? { nil }
    static var scopeClaims: [SampleScopeClaim] { [.text("scope")] }
}
