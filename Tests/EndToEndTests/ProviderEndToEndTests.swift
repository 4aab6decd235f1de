import ProviderFixtures
import TestSupport
import Testing

@Suite(.serialized) struct ProviderEndToEndTests {
    @Test(arguments: Effort.some(ProviderName.allCases, quick: 5))
    func `the demo with a provider passes a check of each of its samples`(
        _ provider: ProviderName
    )
        async throws
    {
        let demo = try BearwardProcess(
            ["demo", "--as", provider.rawValue, "--check"], command: "bearward-dev", input: "")
        let status = await demo.exitStatus()
        let printed = demo.standardOutput + demo.standardError
        #expect(status == 0, "\(printed)")
        #expect(!printed.contains("✗"), "\(printed)")
        let passed = printed.split(separator: "\n").count { $0.hasPrefix("✓") }
        #expect(passed >= ProviderSamples.of(provider).trials.count, "one line for each sample: \(printed)")
    }
}
