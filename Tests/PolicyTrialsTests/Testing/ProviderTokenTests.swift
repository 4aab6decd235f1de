import ConfigurationFile
import IssuerProfiles
import ProviderFixtures
import Testing

@testable import PolicyTrials

struct ProviderTokenTests {
    @Test func `the token table lists all samples of all providers, in their order`() {
        #expect(ProviderToken.names == ProviderSamples.all.flatMap(\.tokens).map(\.id))
    }

    @Test func `a sample token is issued with the time of its use`() throws {
        let sample = try #require(ProviderToken.named("logto/access"))
        let claims = sample.claims(issuedAt: 2_000_000_000)
        #expect(claims["iat"] == .integer(2_000_000_000))
        #expect(claims["exp"] == .integer(2_000_003_600))
        #expect(claims["scope"] == .string("read write"))
        #expect(ProviderToken.named("logto/other") == nil)
    }
}
