import AssumedTokens
import ConfigurationFile
import HTTPMessages
import ProviderFixtures
import ProxySettings
import RequestAuthorization
import StrictJSON
import Testing
import TokenVerification

/// Claims assumed to be signed are judged like signed ones: every sample of every provider has its expected reason.
struct AssumedSampleTests {
    private struct Refused: Error {}

    /// True if only a key or signature can show the mistake: a missing key, a key of another issuer or user flow, or
    /// for another algorithm. With an assumed signature the sample is accepted, or rejected by a later check.
    private static func isAboutKeys(_ sample: SampleToken) -> Bool {
        ["unknown_kid", "bad_signature", "key_issuer_mismatch"].contains(sample.expectedReason)
            || ["b2c-5-key-of-other-policy", "logto-7-alg-swap"].contains(sample.id)
    }

    private static func authorizer(_ setup: ProviderSetup) throws -> AssumedAuthorizer {
        let text = setup.yaml(issuer: "it", place: "/api", upstream: "http://127.0.0.1:9000") {
            "https://keys.example/" + $0
        }
        let result = Configuration.load(
            bytes: Array(text.utf8), directory: "", environment: [:], checkIdentity: TLSIdentityCheck { _, _ in })
        guard case .success(let configuration, _) = result else { throw Refused() }
        return try AssumedAuthorizer(
            resources: configuration.protectedResources, issuers: configuration.issuers.mapped(\.trusted))
    }

    private static func request(_ sample: SampleToken) throws -> AuthorizationRequest {
        let token = AssumedToken(header: sample.header.serialized(), claims: sample.payload.serialized())
        let field = sample.field(with: token.compact)
        let text =
            "\(sample.call.method) /api\(sample.call.path) HTTP/1.1\r\nHost: a\r\n\(field.name): \(field.value)\r\n\r\n"
        var parser = RequestHeadParser()
        guard try parser.parse(Array(text.utf8).span) == .complete else { throw Refused() }
        return AuthorizationRequest(head: parser.head)
    }

    private static func reason(
        _ sample: SampleToken, _ authorizer: AssumedAuthorizer, _ signer: AssumedAuthorizer.Signer = .issuer(0)
    ) throws -> String? {
        var request = try request(sample)
        switch authorizer.judge(&request, signedBy: signer, at: NumericDate(seconds: Double(SampleToken.judgedAt))) {
        case .forward: return nil
        case .reject(let rejection, _): return rejection.reason.label
        case .preflight, .publish, .wait: throw Refused()
        }
    }

    @Test(arguments: ProviderName.allCases)
    func `every sample without a key mistake is accepted or refused for its expected reason`(_ provider: ProviderName)
        throws
    {
        let samples = ProviderSamples.of(provider)
        var judged = 0
        for sample in samples.tokens + samples.nearMisses {
            guard case .key = sample.signing, !Self.isAboutKeys(sample) else { continue }
            let authorizer = try Self.authorizer(try #require(samples.setup(for: sample)))
            #expect(try Self.reason(sample, authorizer) == sample.expectedReason, "\(sample.id)")
            #expect(try Self.reason(sample, authorizer, .named) == sample.expectedReason, "\(sample.id)")
            judged += 1
        }
        #expect(judged >= samples.tokens.count)
    }

    @Test func `a token that names another issuer than the assumed signer is refused`() throws {
        let samples = ProviderSamples.of(.logto)
        let sample = try #require(samples.sample(id: "access"))
        let authorizer = try Self.authorizer(try #require(samples.setup(for: sample)))
        #expect(try Self.reason(sample, authorizer, .issuer(0)) == nil)
        #expect(try Self.reason(sample, authorizer, .issuer(1)) == "unknown_kid")
    }

    @Test func `the explanation says that the signature was not checked`() throws {
        let samples = ProviderSamples.of(.logto)
        let sample = try #require(samples.sample(id: "access"))
        let authorizer = try Self.authorizer(try #require(samples.setup(for: sample)))
        var request = try Self.request(sample)
        let time = NumericDate(seconds: Double(SampleToken.judgedAt))
        let explanation = authorizer.explain(&request, signedBy: .named, at: time)
        #expect(!explanation.isRefusal)
        let told = explanation.steps.filter { ["key", "signature"].contains($0.name) }.map(\.detail)
        #expect(told == ["taken to be one of it's", "assumed, not checked"])
    }
}
