public import JOSE

/// A key, and the one algorithm it is to be used with.
public struct SelectedKey: Sendable {
    public let key: VerificationKey
    public let algorithm: SignatureAlgorithm
    /// Which of the issuer's key sets it is from.
    public internal(set) var keySet: KeySetIndex = 0
}
