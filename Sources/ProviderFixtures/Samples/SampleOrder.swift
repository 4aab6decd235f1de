/// An order that is placed with a token which may read orders.
struct SampleOrder: Sendable {
    /// The `id` of the sample.
    let id: String
    /// Reason of the refusal. Nil if it is forwarded.
    let reason: String?

    init(_ id: String, reason: String? = nil) {
        self.id = id
        self.reason = reason
    }
}
