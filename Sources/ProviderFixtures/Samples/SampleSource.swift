/// A token that a provider gives out, with the request that carries it and what comes of it.
struct SampleSource: Sendable {
    /// The token's name.
    let id: String
    let variant: String
    let call: SampleCall
    let reason: String?

    init(
        _ id: String, variant: String = ProviderSetup.standard, call: SampleCall = .readOrders, reason: String? = nil,
    ) {
        self.id = id
        self.variant = variant
        self.call = call
        self.reason = reason
    }
}
