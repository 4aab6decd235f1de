import JOSE
import TokenVerification

/// A key that is no longer in the key set document, with the time when it was last in it.
public struct KeptKey: Sendable {
    public let key: VerificationKey
    public let lastSeen: NumericDate

    public init(_ key: VerificationKey, lastSeen: NumericDate) {
        self.key = key
        self.lastSeen = lastSeen
    }
}
