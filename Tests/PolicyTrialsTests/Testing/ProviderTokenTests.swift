import ConfigurationFile
import IssuerProfiles
import ProviderFixtures
import Testing

@testable import PolicyTrials

struct ProviderTokenTests {
    @Test func `every token of the table is a sample of its provider, and in the same order`() {
        #expect(ProviderToken.names == ProviderSamples.all.flatMap(\.tokens).map(\.id))
    }

    @Test func `a sample is issued when it is used`() throws {
        let sample = try #require(ProviderToken.named("logto/access"))
        let claims = sample.claims(issuedAt: 2_000_000_000)
        #expect(claims["iat"] == .integer(2_000_000_000))
        #expect(claims["exp"] == .integer(2_000_003_600))
        #expect(claims["scope"] == .string("read write"))
        #expect(ProviderToken.named("logto/other") == nil)
    }
}
