/// Where a file speaks of something, for what is found out about it later.
public struct FilePlace: Sendable, Hashable {
    public let position: Position
    /// The way to it, `issuers.logto`.
    public let keyPath: String

    /// What to tell of it: in the form of a problem of the file, so that it is found at the same place.
    public func problem(_ severity: Problem.Severity, _ message: String, hint: String? = nil) -> Problem {
        Problem(severity, at: position, keyPath: keyPath, message: message, hint: hint)
    }
}

extension Value {
    /// Where a text stands, or the key of a mapping.
    var filePlace: FilePlace { FilePlace(position: place, keyPath: path.description) }
}

extension Value.Member {
    /// The place of the key.
    var filePlace: FilePlace { FilePlace(position: value.keyPosition, keyPath: value.path.description) }
}
