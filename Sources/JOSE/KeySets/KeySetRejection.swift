import StrictJSON

/// Reason why a JWK set document is rejected as a whole.
public enum KeySetRejection: Error, Hashable, Sendable {
    /// The document is not strict JSON.
    case notJSON(JSONRejection)
    /// The document is JSON, but not an object.
    case notObject
    /// The document is of another kind, which is recognised.
    case otherDocument(OtherDocument)
    /// `keys` is absent or not an array.
    case noKeysMember
    /// The document has more keys than the limit.
    case tooManyKeys
    /// The document has more bytes than the limit.
    case tooLarge
    /// The document has no key that could verify a signature. Lists why each key is skipped.
    case noUsableKey([SkippedKey])
}

extension KeySetRejection: CustomStringConvertible {
    /// Description for operators, to follow the document's name.
    public var description: String {
        switch self {
        case .notJSON(let rejection): "is not a JWK set: it \(rejection)"
        case .notObject: "is not a JWK set: it is not a JSON object"
        case .otherDocument(let document): document.description
        case .noKeysMember: "has no array named \"keys\", so it is not a JWK set"
        case .tooManyKeys: "has too many keys"
        case .tooLarge: "is larger than a key set may be"
        case .noUsableKey(let skipped) where skipped.isEmpty: "has no usable key: its list of keys is empty"
        case .noUsableKey(let skipped): "has no usable key: \(SkippedKey.listed(skipped))"
        }
    }
}

/// Largest accepted JWK set.
public struct KeySetLimits: Sendable, Hashable {
    public var bytes: Int
    public var keys: Int

    public init(bytes: Int = 256 * 1024, keys: Int = 200) {
        self.bytes = bytes
        self.keys = keys
    }
}
