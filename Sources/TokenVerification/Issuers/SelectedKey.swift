public import JOSE

/// A key, and the one algorithm with which it verifies the token.
public struct SelectedKey: Sendable {
    public let key: VerificationKey
    public let algorithm: SignatureAlgorithm
    /// Index of the issuer's key set that contains the key.
    public internal(set) var keySet: KeySetIndex = 0
}
