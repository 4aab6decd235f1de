/// A request that places an order, with a token that may read orders.
struct SampleOrder: Sendable {
    /// The `id` of the sample.
    let id: String
    /// Reason of the rejection. Nil if the request is forwarded.
    let reason: String?

    init(_ id: String, reason: String? = nil) {
        self.id = id
        self.reason = reason
    }
}
