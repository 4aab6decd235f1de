import JOSE

/// Reason why a saved key set cannot be used.
public enum SavedKeySetRejection: Error, Sendable, Hashable {
    /// The file has more bytes than ``SavedKeySet/byteLimit``.
    case tooLarge
    /// The file is not JSON, or not in the format that is written.
    case malformed
    /// The file was written by a version of the program that uses another format.
    case versionUnknown(Int64)
    /// The source, issuer or trust anchors in the file are not those of the configuration.
    case otherKeySet
    /// The set was fetched more than five minutes in the future: the clock was set back, so its age is unknown.
    case fromTheFuture
    case tooManyKeys
    /// The file has no key of the document.
    case noKeys
    /// The file has a key that is invalid in every key set. One is enough to reject the file, because the gateway never
    /// writes such a key.
    case keyRefused(JSONWebKeyRejection)
}

extension SavedKeySetRejection: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooLarge: "it is larger than a saved key set may be"
        case .malformed: "it is not a saved key set"
        case .versionUnknown(let version): "it has the format version \(version), which is not known here"
        case .otherKeySet: "it was saved for another source, issuer or ca_file"
        case .fromTheFuture: "it was fetched in the future, by this machine's clock"
        case .tooManyKeys: "it has too many keys"
        case .noKeys: "it has no keys"
        case .keyRefused(let reason): "it has a key that cannot be used (\(reason))"
        }
    }
}
