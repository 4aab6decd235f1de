import JOSE

/// A key, in the form in which a provider's key set publishes it.
public struct SampleKeyEntry: Sendable, Hashable {
    public let name: SampleKeyName
    public let shape: SampleKeyShape
    /// Whether the key signs tokens. False for an encryption key.
    public let signs: Bool

    init(_ keyID: String, _ shape: SampleKeyShape, algorithm: SignatureAlgorithm = .rs256, signs: Bool = true) {
        self.init(SampleKeyName(keyID, algorithm), shape, signs: signs)
    }

    init(_ name: SampleKeyName, _ shape: SampleKeyShape, signs: Bool) {
        self.name = name
        self.shape = shape
        self.signs = signs
    }

    /// Makes an entry in the same shape for a key with another `kid`.
    public func renamed(_ keyID: String) -> SampleKeyEntry {
        SampleKeyEntry(SampleKeyName(keyID, name.algorithm), shape, signs: signs)
    }
}
