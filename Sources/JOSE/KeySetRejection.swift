/// Why a JWK set document is refused as a whole.
public enum KeySetRejection: Error, Hashable, Sendable {
    /// Not a strict JSON object.
    case notJSON
    /// `keys` is absent or no array.
    case noKeysMember
    /// More keys than the limit.
    case tooManyKeys
    /// More bytes than the limit.
    case tooLarge
    /// Not one key that could verify a signature.
    case noUsableKey
}

/// How much of a JWK set is read.
public struct KeySetLimits: Sendable, Hashable {
    public var bytes: Int
    public var keys: Int

    public init(bytes: Int = 256 * 1024, keys: Int = 200) {
        self.bytes = bytes
        self.keys = keys
    }
}

/// A key of a set that is not used, and why.
public struct SkippedKey: Sendable, Hashable {
    /// Nil if absent or unusable itself.
    public let keyID: String?
    /// Its index in the set, from zero.
    public let index: Int
    public let reason: JSONWebKeyRejection

    public init(keyID: String?, index: Int, reason: JSONWebKeyRejection) {
        self.keyID = keyID
        self.index = index
        self.reason = reason
    }
}
