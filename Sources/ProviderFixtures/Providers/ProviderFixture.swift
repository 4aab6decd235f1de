/// The samples of one provider, as stated in the source.
///
/// All names and numbers are invented.
protocol ProviderFixture: Sendable {
    /// Gateway setups that the samples are judged under; the standard one comes first.
    static var setups: [ProviderSetup] { get }
    /// Key sets that the provider publishes; the one for its usual tokens comes first.
    static var keySets: [SampleKeySet] { get }
    /// Names by which clients request scopes. Nil if they are the names that tokens contain.
    static var scopeNaming: ScopeNaming? { get }
    /// Claims that contain the scopes of an access token. Each contains all of them.
    static var scopeClaims: [SampleScopeClaim] { get }
    /// Tokens that may read orders, which are tried a second time with a request that places an order.
    static var orders: [SampleOrder] { get }
    /// Tokens that the provider issues; access tokens come first.
    static var tokens: [SampleSource] { get }
    /// Near-misses: tokens similar to the provider's that must be rejected.
    static var nearMisses: [NearMissSource] { get }
}

extension ProviderFixture {
    static var scopeNaming: ScopeNaming? { nil }
    static var scopeClaims: [SampleScopeClaim] { [.text("scope")] }
}
