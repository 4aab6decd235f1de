/// A token that a provider issues, with the request that carries it and the expected result.
struct SampleSource: Sendable {
    /// Name of the token, such as `logto/access`.
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
