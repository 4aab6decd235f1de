/// A token that must be rejected, stated as a change of another token.
struct NearMissSource: Sendable {
    let id: String
    /// Token that is changed: the `id` of a sample, or `list#id` for a near-miss.
    let base: String
    /// JSON object with header members that replace the base's or are appended. `setPayload` is the same for the
    /// payload.
    let setHeader: String
    let setPayload: String
    /// Names of header members that are removed. `unsetPayload` is the same for the payload.
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
    /// The key of the base, so that only the changed member can be the reason for the rejection.
    case rightKey
    /// The key of the base; the signature is modified afterwards.
    case tampering
    /// Another key of the provider, given by its `kid`.
    case key(String)
    case nobody
    case secret(String)
}
