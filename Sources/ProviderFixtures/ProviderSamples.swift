/// Everything known here of one provider: its tokens, what comes close to them, its key sets, and how a gateway is set
/// up for it.
public struct ProviderSamples: Sendable {
    public let name: ProviderName
    /// Tokens that the provider gives out: access tokens first; ID tokens are among them, most of which no API may
    /// accept.
    public let tokens: [SampleToken]
    /// Tokens that must be refused, each for the one reason it names.
    public let nearMisses: [SampleToken]

    /// The setups that the samples are judged under, the standard one first.
    public var setups: [ProviderSetup] { name.fixture.setups }

    /// The key sets that the provider publishes, the one of its usual tokens first.
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
    /// for `logto/access`.
    public func sample(id: String) -> SampleToken? {
        (tokens + nearMisses).first { sample in
            sample.id == id || sample.id.split(separator: "/", maxSplits: 1).dropFirst().first.map(String.init) == id
        }
    }

    /// The setup that a sample is judged under.
    public func setup(for sample: SampleToken) -> ProviderSetup? {
        setups.first { setup in setup.variant == sample.variant }
    }
}
