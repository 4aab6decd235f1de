import ProviderFixtures
import Testing

struct SampleTrialTests {
    @Test(
        arguments: [
            ("logto/access", 200, nil, []),
            (
                "logto/access", 401, #"Bearer realm="a", error="invalid_token""#,
                ["expected status 200", "expected no error in the challenge, but it is invalid_token"]
            ),
            ("logto-1-id-token", 401, #"Bearer realm="a", error="invalid_token", error_description="No""#, []),
            (
                "logto-1-id-token", 401, #"Bearer realm="a""#,
                ["expected invalid_token in the challenge, but it is no error"]
            ),
            (
                "logto-1-id-token", 200, nil,
                ["expected status 401", "expected invalid_token in the challenge, but it is no error"]
            ),
            ("logto-6-no-scope-claim", 403, #"Bearer realm="a", error="insufficient_scope", scope="read""#, []),
        ] as [(String, Int, String?, [String])])
    func `a response is compared by status and error`(
        id: String, status: Int, challenge: String?, differences: [String]
    )
        throws
    {
        let trial = try #require(ProviderSamples.of(.logto).trials.first { trial in trial.sample.id == id })
        #expect(trial.differences(status: status, challenge: challenge) == differences)
    }

    @Test func `a client with write scope places an order, and a client without it is refused`() {
        let trials = ProviderSamples.of(.logto).trials.filter { trial in trial.call == .placeOrder }
        #expect(trials.map(\.sample.id) == ["logto/access", "logto/m2m"])
        #expect(trials.map(\.expectedStatus) == [nil, 403])
        #expect(trials.map(\.forwardedStatus) == [201, 201])
    }

    @Test func `a trial's summary names request, token and mistake`() {
        let summaries = ProviderSamples.of(.okta).trials.map(\.summary)
        #expect(summaries.first == "GET /orders with okta/access")
        #expect(
            summaries.last
                == "GET /orders with okta-3-scp-as-string: no substring match; a string is one scope list, not a prefix"
        )
    }

    @Test func `every near-miss is tried once`() {
        for samples in ProviderSamples.all {
            let tried = samples.trials.filter { trial in trial.sample.why != nil }.map(\.sample.id)
            #expect(tried == samples.nearMisses.map(\.id))
        }
    }

    @Test(arguments: ["Basic realm=\"a\"", "Bearer realm=a", "Bearer realm", "Bearer a=\"b\", c"])
    func `a header that is no Bearer challenge with quoted values is not read`(field: String) {
        #expect(ReceivedChallenge(field) == nil)
    }

    @Test func `the parameters of a challenge are read`() {
        let challenge = ReceivedChallenge(#"Bearer realm="https://a.example/x", error="invalid_token""#)
        #expect(challenge?["realm"] == "https://a.example/x")
        #expect(challenge?["error"] == "invalid_token")
        #expect(challenge?["scope"] == nil)
    }
}
