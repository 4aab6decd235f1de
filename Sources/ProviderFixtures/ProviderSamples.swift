/// Samples of one provider: its tokens, near-misses of them, its key sets, and gateway setups.
public struct ProviderSamples: Sendable {
    public let name: ProviderName
    /// Tokens that the provider issues; access tokens come first. ID tokens are included, most of which no API may
    /// accept.
    public let tokens: [SampleToken]
    /// Near-misses: tokens that must be rejected, each for exactly one reason.
    public let nearMisses: [SampleToken]

    /// Gateway setups that the samples are judged under; the standard one comes first.
    public var setups: [ProviderSetup] { name.fixture.setups }

    /// Key sets that the provider publishes; the one for its usual tokens comes first.
    public var keySets: [SampleKeySet] { name.fixture.keySets }

    public static let all: [ProviderSamples] = {
        let fixtures = ProviderName.allCases.map { name in (name, name.fixture) }
        let resolution = NearMissResolution(
            samples: fixtures.flatMap { _, fixture in fixture.tokens },
            nearMisses: fixtures.flatMap { _, fixture in fixture.nearMisses })
        return fixtures.map { name, fixture in
            ProviderSamples(
                name: name, tokens: fixture.tokens.compactMap(resolution.token),
                nearMisses: fixture.nearMisses.compactMap(resolution.token))
        }
    }()

    public static func of(_ name: ProviderName) -> ProviderSamples {
        all.first { samples in samples.name == name } ?? ProviderSamples(name: name, tokens: [], nearMisses: [])
    }

    /// Finds a token or a near-miss by its ID. For a token of this provider the part after the slash suffices: `access`
    /// for `logto/access`. Nil if no sample has the ID.
    public func sample(id: String) -> SampleToken? {
        (tokens + nearMisses).first { sample in
            sample.id == id || sample.id.split(separator: "/", maxSplits: 1).dropFirst().first.map(String.init) == id
        }
    }

    /// The setup that a sample is judged under. Nil if the provider has no setup with the sample's variant.
    public func setup(for sample: SampleToken) -> ProviderSetup? {
        setups.first { setup in setup.variant == sample.variant }
    }
}
