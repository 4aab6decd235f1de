/// A token as a provider gives it out, in JSON text.
struct SampleSource: Sendable {
    let id: String
    let header: String
    let payload: String
    let variant: String
    let call: SampleCall
    let reason: String?

    init(
        _ id: String, header: String, payload: String, variant: String = ProviderSetup.standard,
        call: SampleCall = .readOrders,
        reason: String? = nil,
    ) {
        self.id = id
        self.header = header
        self.payload = payload
        self.variant = variant
        self.call = call
        self.reason = reason
    }
}
