/// A token that must be refused, as its difference from another one.
struct NearMissSource: Sendable {
    let id: String
    /// The `id` of a sample, or `list#id` for another near-miss.
    let base: String
    /// JSON objects whose members take the place of the base's, or come after them.
    let setHeader: String
    let setPayload: String
    /// Names of members that are dropped.
    let unsetHeader: [String]
    let unsetPayload: [String]
    let signer: NearMissSigner
    let variant: String
    let call: SampleCall
    let reason: String
    let why: String

    init(
        _ id: String, base: String, setHeader: String = "{}", setPayload: String = "{}", unsetHeader: [String] = [],
        unsetPayload: [String] = [], signedBy signer: NearMissSigner = .rightKey,
        variant: String = ProviderSetup.standard,
        call: SampleCall = .readOrders, reason: String, why: String,
    ) {
        self.id = id
        self.base = base
        self.setHeader = setHeader
        self.setPayload = setPayload
        self.unsetHeader = unsetHeader
        self.unsetPayload = unsetPayload
        self.signer = signer
        self.variant = variant
        self.call = call
        self.reason = reason
        self.why = why
    }
}

/// Signer of a near-miss.
enum NearMissSigner: Sendable, Hashable {
    /// The key of the base, so that only the changed member can be why the token is refused.
    case rightKey
    /// The key of the base, and then the signature is changed.
    case tampering
    /// Another key of the provider, by its `kid`.
    case key(String)
    case nobody
    case secret(String)
}
