import IssuerProfiles
import JOSE
import ProviderFixtures
import Testing
import TokenVerification

/// Every known token of every provider, and every near-miss, judged by the provider's profile.
@Suite struct ProviderSampleTests {
    static let tokens = Specimen.all(\.tokens)
    static let nearMisses = Specimen.all(\.nearMisses)

    @Test func `the samples contain one hundred and twelve near-misses`() {
        #expect(Self.nearMisses.count == 112)
        #expect(Set(Self.nearMisses.map(\.description)).count == 112)
        #expect(Self.nearMisses.allSatisfy { $0.sample.expectedReason != nil })
    }

    @Test(arguments: nearMisses) func `a near-miss is refused for exactly the reason that it demonstrates`(
        _ specimen: Specimen
    )
        throws
    {
        #expect(try specimen.gateway.reason(for: specimen.sample) == specimen.sample.expectedReason)
    }

    @Test(arguments: tokens) func `a token as the provider issues it is accepted, or refused for its type`(
        _ specimen: Specimen
    ) throws {
        #expect(try specimen.gateway.reason(for: specimen.sample) == specimen.sample.expectedReason)
    }

    @Test(arguments: tokens.filter { $0.sample.expectedReason == nil })
    func `an otherwise valid token is refused under another key with the same ID`(_ specimen: Specimen) throws {
        let forged = try Self.otherKeys.compactJWS(specimen.sample)
        let gateway = try specimen.gateway
        #expect(throws: TokenRejection.badSignature) { try gateway.verify(forged) }
    }

    private static let otherKeys = SampleKeyRing()

    @Test(arguments: Specimen.setups) func `a setup of the samples has no problems, and the expected key sets`(
        _ setup: ProviderSetup
    )
        throws
    {
        let gateway = try SampleGateway(setup)
        #expect(gateway.problems == [])
        switch setup.keySets {
        case .one: #expect(gateway.profiled.keySets.map(\.name) == [""])
        case .named(let names): #expect(Set(gateway.profiled.keySets.map(\.name)) == Set(names))
        }
    }
}

/// A sample with its provider.
struct Specimen: Sendable, CustomTestStringConvertible, CustomStringConvertible {
    let samples: ProviderSamples
    let sample: SampleToken

    var description: String { sample.id }
    var testDescription: String { sample.id }

    var gateway: SampleGateway { get throws { try SampleGateway(for: sample, of: samples) } }

    static func all(_ part: (ProviderSamples) -> [SampleToken]) -> [Specimen] {
        ProviderSamples.all.flatMap { samples in part(samples).map { Specimen(samples: samples, sample: $0) } }
    }

    static let setups = ProviderSamples.all.flatMap(\.setups)
}
