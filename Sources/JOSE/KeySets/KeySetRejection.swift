import StrictJSON

/// Reason why a JWK set document is refused as a whole.
public enum KeySetRejection: Error, Hashable, Sendable {
    /// Not strict JSON.
    case notJSON(JSONRejection)
    /// JSON, and no object.
    case notObject
    /// Something else that is known.
    case otherDocument(OtherDocument)
    /// `keys` is absent or no array.
    case noKeysMember
    /// More keys than the limit.
    case tooManyKeys
    /// More bytes than the limit.
    case tooLarge
    /// Not one key that could verify a signature; why each is skipped.
    case noUsableKey([SkippedKey])
}

extension KeySetRejection: CustomStringConvertible {
    /// For operators; reads as what follows the document's name.
    public var description: String {
        switch self {
        case .notJSON(let rejection): "is no JWK set: it \(rejection)"
        case .notObject: "is no JWK set: it is not a JSON object"
        case .otherDocument(let document): document.description
        case .noKeysMember: "has no array named \"keys\", so it is not a JWK set"
        case .tooManyKeys: "has too many keys"
        case .tooLarge: "is larger than a key set may be"
        case .noUsableKey(let skipped) where skipped.isEmpty: "has no usable key: its list of keys is empty"
        case .noUsableKey(let skipped): "has no usable key: \(SkippedKey.listed(skipped))"
        }
    }
}

/// Limits on the size of a JWK set.
public struct KeySetLimits: Sendable, Hashable {
    public var bytes: Int
    public var keys: Int

    public init(bytes: Int = 256 * 1024, keys: Int = 200) {
        self.bytes = bytes
        self.keys = keys
    }
}
