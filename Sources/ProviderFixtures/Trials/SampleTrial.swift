/// One request with a sample, and how the gateway must answer it.
public struct SampleTrial: Sendable {
    public let sample: SampleToken
    /// Setup of the gateway.
    public let variant: String
    public let call: SampleCall
    /// Nil if the request is forwarded.
    public let expectedReason: String?

    /// Nil if the request is forwarded and the upstream answers.
    public var expectedStatus: Int? {
        expectedReason.map(SampleToken.status)
    }

    /// The request, the token, and what is wrong with it: for a list.
    public var summary: String {
        let why = sample.why.map { why in ": " + why } ?? ""
        return "\(call.method) \(call.path) with \(sample.id)\(why)"
    }

    /// A sample where it is judged anyway.
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
    /// Every sample where it is judged, and further requests with tokens that are let in: some of them ask too much.
    public var trials: [SampleTrial] {
        let orders = name.fixture.orders.compactMap { order in
            sample(id: order.id).map { sample in SampleTrial(sample, .placeOrder, reason: order.reason) }
        }
        return tokens.map { token in SampleTrial(token) } + orders
            + nearMisses.map { nearMiss in SampleTrial(nearMiss) }
    }
}
