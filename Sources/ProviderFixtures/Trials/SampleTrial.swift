/// One request with a sample token, and the expected answer of the gateway.
public struct SampleTrial: Sendable {
    public let sample: SampleToken
    /// Name of the gateway's setup; see ``ProviderSetup/variant``.
    public let variant: String
    public let call: SampleCall
    /// Expected reason of the rejection. Nil if the request is forwarded.
    public let expectedReason: String?

    /// Expected status of the gateway's own response. Nil if the request is forwarded, since the upstream then answers.
    public var expectedStatus: Int? {
        expectedReason.map(SampleToken.status)
    }

    /// One line for a list: the request, the token, and its fault.
    public var summary: String {
        let why = sample.why.map { why in ": " + why } ?? ""
        return "\(call.method) \(call.path) with \(sample.id)\(why)"
    }

    /// Makes the trial of a sample with its usual request.
    init(_ sample: SampleToken) {
        self.init(sample, sample.call, reason: sample.expectedReason)
    }

    init(_ sample: SampleToken, _ call: SampleCall, reason: String?) {
        self.sample = sample
        variant = sample.variant
        self.call = call
        expectedReason = reason
    }
}

extension ProviderSamples {
    /// All trials: each sample with its usual request, and tokens that may read orders with a request to place one.
    public var trials: [SampleTrial] {
        let orders = name.fixture.orders.compactMap { order in
            sample(id: order.id).map { sample in SampleTrial(sample, .placeOrder, reason: order.reason) }
        }
        return tokens.map { token in SampleTrial(token) } + orders
            + nearMisses.map { nearMiss in SampleTrial(nearMiss) }
    }
}
