import JOSE

/// A key as a key set shows it.
public struct SampleKeyEntry: Sendable, Hashable {
    public let name: SampleKeyName
    public let shape: SampleKeyShape
    /// Whether tokens are signed with it; false for a key that others encrypt with.
    public let signs: Bool

    init(_ keyID: String, _ shape: SampleKeyShape, algorithm: SignatureAlgorithm = .rs256, signs: Bool = true) {
        self.init(SampleKeyName(keyID, algorithm), shape, signs: signs)
    }

    init(_ name: SampleKeyName, _ shape: SampleKeyShape, signs: Bool) {
        self.name = name
        self.shape = shape
        self.signs = signs
    }

    /// The entry of another key in the same shape.
    public func renamed(_ keyID: String) -> SampleKeyEntry {
        SampleKeyEntry(SampleKeyName(keyID, name.algorithm), shape, signs: signs)
    }
}
