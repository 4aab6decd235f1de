import JOSE
import TokenVerification

/// A key that left the document, and when it was last in it.
public struct KeptKey: Sendable {
    public let key: VerificationKey
    public let lastSeen: NumericDate

    public init(_ key: VerificationKey, lastSeen: NumericDate) {
        self.key = key
        self.lastSeen = lastSeen
    }
}
