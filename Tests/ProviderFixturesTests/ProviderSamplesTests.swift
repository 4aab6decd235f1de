import JOSE
import ProviderFixtures
import StrictJSON
import Testing

struct ProviderSamplesTests {
    @Test func `every provider has its number of tokens and near-misses`() {
        let counts = ProviderSamples.all.map { samples in [samples.tokens.count, samples.nearMisses.count] }
        #expect(ProviderSamples.all.map(\.name) == ProviderName.allCases)
        #expect(
            counts == [
                [2, 5], [5, 10], [2, 6], [3, 10], [5, 9], [2, 3], [2, 3], [2, 3], [2, 3], [1, 3], [2, 3], [2, 3],
                [3, 4], [4, 4], [1, 5], [2, 4], [1, 3], [1, 7],
                [1, 5], [2, 4], [1, 7],
                [1, 8],
            ])
        #expect(ProviderSamples.all.reduce(0) { sum, samples in sum + samples.nearMisses.count } == 112)
    }

    @Test func `sample ids are unique`() {
        let ids = ProviderSamples.all.flatMap { samples in (samples.tokens + samples.nearMisses).map(\.id) }
        #expect(Set(ids).count == ids.count)
    }

    @Test func `a near-miss states its mistake and the expected reason`() {
        for sample in ProviderSamples.all.flatMap(\.nearMisses) {
            #expect(sample.expectedReason != nil, "\(sample.id)")
            #expect(sample.why?.isEmpty == false, "\(sample.id)")
        }
    }

    @Test func `a near-miss differs from its base sample only by its change`() throws {
        let external = ProviderSamples.of(.entraExternal)
        let base = try #require(external.sample(id: "access"))
        let sample = try #require(external.sample(id: "ciam-1-graph-token-no-scopes"))
        #expect(sample.header.members.map(\.name) == ["typ", "alg", "kid", "nonce"])
        #expect(sample.payload.members.map(\.name) == base.payload.members.map(\.name))
        #expect(sample.payload[member: "aud"]?.string == "00000003-0000-0000-c000-000000000000")
        #expect(sample.payload[member: "iss"]?.string == base.payload[member: "iss"]?.string)
        #expect(sample.signing == .tampered(SampleKeyName("Qx3mT7vB2nLr8KpWc5dHs1uYeA0", .rs256)))
    }

    @Test func `a near-miss may be based on another provider's near-miss`() throws {
        let graph = try #require(ProviderSamples.of(.firebase).sample(id: "fb-4-microsoft-access-token"))
        #expect(graph.header[member: "nonce"]?.string == "K2x9")
        #expect(graph.payload[member: "aud"]?.string == "https://graph.microsoft.com")
        #expect(graph.payload[member: "iss"]?.string == "https://sts.windows.net/7c2d9a10-5e84-4b37-a1f6-0b93c8e2d755/")
        #expect(graph.signing == .key(SampleKeyName("aZ4kR9tXw1LmV7cQp3HbN6sYuD0", .rs256)))
    }

    @Test(arguments: [
        (
            ProviderName.logto, "logto-7-alg-swap",
            SampleSigning.key(SampleKeyName("iJ3hQm8vT1xLr6WbN0cYd5KpZs7UeA2gFo9XtVk4HnM", .es384))
        ),
        (.entraID, "entra-3-consumer-key-for-work-tenant", .key(SampleKeyName("MsaKey8IIDH6M8c3cXoeojKme8J", .rs256))),
        (.firebase, "fb-10-emulator", .unsigned),
        (.firebase, "fb-5-custom-token", .key(SampleKeyName("7c1f0a93b25de684c0f7a91e3d5b8620f4a7c9d1", .rs256))),
        (.authentik, "ak-3-hs256", .hmac(secret: "client-secret")),
    ])
    func `a near-miss is signed by the base's key unless it names another`(
        provider: ProviderName, id: String, signing: SampleSigning,
    ) throws {
        let sample = try #require(ProviderSamples.of(provider).sample(id: id))
        #expect(sample.signing == signing)
    }

    @Test func `a near-miss may omit claims`() throws {
        let sample = try #require(ProviderSamples.of(.logto).sample(id: "logto-6-no-scope-claim"))
        #expect(sample.payload[member: "scope"] == nil)
        #expect(sample.payload[member: "client_id"]?.string == "m3xk9v5t2rqd7c1yb8w0h")
    }

    @Test func `every sample is issued at the same second`() {
        for sample in ProviderSamples.all.flatMap({ samples in samples.tokens + samples.nearMisses }) {
            // A load balancer does not write when it issued a token.
            let isBalancers = sample.header[member: "signer"] != nil || sample.id.hasPrefix("alb-")
            #expect(
                sample.payload[member: "iat"]?.integer == (isBalancers ? nil : 1_790_000_000), "\(sample.id)")
        }
    }

    @Test func `the expected status follows from the expected reason`() throws {
        let logto = ProviderSamples.of(.logto)
        #expect(try #require(logto.sample(id: "logto/access")).expectedStatus == nil)
        #expect(try #require(logto.sample(id: "logto-6-no-scope-claim")).expectedStatus == 403)
        #expect(try #require(logto.sample(id: "logto-9-m2m-on-user-route")).expectedStatus == 401)
    }

    @Test func `every trial uses an existing setup and a path with a rule`() throws {
        for samples in ProviderSamples.all {
            for trial in samples.trials {
                let setup = try #require(
                    samples.setups.first { setup in setup.variant == trial.variant }, "\(trial.sample.id)")
                let paths = setup.rules.map { rule in rule.methods + " " + rule.path }
                let rule =
                    trial.call == .readOrders
                    ? "GET /orders/**" : trial.call.path == "/orgs/org_5f0c1/orders" ? "GET /orgs/{org}/orders" : nil
                #expect(paths.contains(rule ?? trial.call.method + " " + trial.call.path), "\(trial.sample.id)")
            }
        }
    }

    @Test func `every provider has at least one sample that is accepted`() {
        for samples in ProviderSamples.all {
            #expect(samples.trials.contains { trial in trial.expectedReason == nil }, "\(samples.name)")
        }
    }
}
