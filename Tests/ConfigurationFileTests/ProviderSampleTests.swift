import ConfigurationFile
import KeySets
import ProviderFixtures
import RequestAuthorization
import Testing

/// Judgement of a provider's sample tokens by a file that names the provider and its ids.
struct ProviderSampleTests {
    private static let keySetURL = "https://keys.example/"

    private static func configuration(_ setup: ProviderSetup) throws -> Configuration {
        let text = setup.yaml(issuer: "it", place: "/api", upstream: "http://127.0.0.1:9000") { keySetURL + $0 }
        let result = Configuration.load(text: text, directory: "", environment: [:])
        #expect(
            result.problems.filter { $0.severity == .error }.map { $0.rendered(file: setup.provider.rawValue) } == [],
            "\(text)")
        guard case .success(let configuration, _) = result else { throw SampleGateway.Refused() }
        return configuration
    }

    private static func gateway(_ setup: ProviderSetup) throws -> SampleGateway {
        try SampleGateway(try configuration(setup), of: setup.provider) { _, keySet in
            guard case .jwkSetURL(let url) = keySet.source, url.hasPrefix(keySetURL) else { return nil }
            return String(url.dropFirst(keySetURL.count))
        }
    }

    @Test(arguments: ProviderName.allCases)
    func `every setup of a provider is accepted`(_ provider: ProviderName) throws {
        for setup in ProviderSamples.of(provider).setups { _ = try Self.configuration(setup) }
    }

    @Test func `every provider has samples`() {
        #expect(ProviderSamples.all.map(\.name) == ProviderName.allCases)
        #expect(ProviderSamples.all.reduce(0) { $0 + $1.nearMisses.count } == 112)
    }

    @Test(arguments: ProviderName.allCases)
    func `every sample of a provider is accepted or refused for its expected reason`(_ provider: ProviderName) throws {
        let samples = ProviderSamples.of(provider)
        var gateways: [String: SampleGateway] = [:]
        for setup in samples.setups { gateways[setup.variant] = try Self.gateway(setup) }
        #expect(!samples.trials.isEmpty)
        for trial in samples.trials {
            let gateway = try #require(gateways[trial.variant])
            let reason = try gateway.reason(trial.sample, trial.call.method, "/api" + trial.call.path)
            #expect(reason == trial.expectedReason, "\(trial.summary)")
        }
    }

    /// The step that must have failed, for reasons that belong to one step.
    private static let steps: [String: Set<String>] = [
        "issuer_mismatch": ["issuer", "header"], "version_not_allowed": ["issuer"],
        "foreign_resource": ["issuer", "header"],
        "alg_not_allowed": ["form", "header", "key"], "typ_mismatch": ["header"], "tenant_mismatch": ["origin"],
        "key_issuer_mismatch": ["origin"], "tenant_not_allowed": ["origin", "claims"],
        "policy_not_allowed": ["origin", "claims"],
        "audience_mismatch": ["audience"], "not_access_token": ["kind"],
        "client_not_allowed": ["client", "claims", "header"], "signer_not_allowed": ["header"],
        "subject_invalid": ["subject"], "auth_time_invalid": ["times"], "insufficient_scope": ["scopes"],
        "organization_mismatch": ["organization"], "role_required": ["roles"], "unknown_kid": ["key"],
        "bad_signature": ["signature"], "claim_invalid": ["claims", "times"],
    ]

    @Test(arguments: ProviderName.allCases)
    func `the explanation of every refused sample fails at exactly one step, the expected one`(_ provider: ProviderName)
        throws
    {
        let samples = ProviderSamples.of(provider)
        var gateways: [String: SampleGateway] = [:]
        for setup in samples.setups { gateways[setup.variant] = try Self.gateway(setup) }
        for trial in samples.trials {
            let gateway = try #require(gateways[trial.variant])
            let explanation = try gateway.explanation(trial.sample, trial.call.method, "/api" + trial.call.path)
            let failed = explanation.steps.filter { $0.verdict == .failed }.map(\.name)
            guard let reason = trial.expectedReason else {
                #expect(explanation.steps.allSatisfy { $0.verdict == .passed }, "\(trial.summary)")
                continue
            }
            let expected = try #require(Self.steps[reason], "\(reason) has no step here")
            #expect(failed.count == 1 && expected.isSuperset(of: failed), "\(trial.summary): \(failed)")
            let verdicts = explanation.steps.map(\.verdict)
            let end = try #require(verdicts.firstIndex(of: .failed))
            #expect(
                verdicts[..<end].allSatisfy { $0 == .passed } && verdicts[(end + 1)...].allSatisfy { $0 == .notReached }
            )
        }
    }
}
