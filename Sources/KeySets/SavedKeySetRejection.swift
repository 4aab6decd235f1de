import JOSE

/// Reason why a saved key set cannot be used.
public enum SavedKeySetRejection: Error, Sendable, Hashable {
    /// More bytes than ``SavedKeySet/byteLimit``.
    case tooLarge
    /// Not JSON, or not of the form that is written.
    case malformed
    /// Written by a version of the program that uses another format.
    case versionUnknown(Int64)
    /// Its source, issuer or trust anchors are not the configuration's.
    case otherKeySet
    /// Fetched more than five minutes after now: the clock was set back, and its age means nothing.
    case fromTheFuture
    case tooManyKeys
    /// Not one key of the document.
    case noKeys
    /// A key that no key set may have; a single one refuses the file, because none was ever written.
    case keyRefused(JSONWebKeyRejection)
}

extension SavedKeySetRejection: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooLarge: "it is larger than a saved key set may be"
        case .malformed: "it is not a saved key set"
        case .versionUnknown(let version): "it has the format version \(version), which is not known here"
        case .otherKeySet: "it is of another source, issuer or ca_file"
        case .fromTheFuture: "it was fetched in the future, by this machine's clock"
        case .tooManyKeys: "it has too many keys"
        case .noKeys: "it has no keys"
        case .keyRefused(let reason): "it has a key that cannot be used (\(reason))"
        }
    }
}
