/// Location of something in the file, for problems that are found later.
public struct FilePlace: Sendable, Hashable {
    public let position: Position
    /// Key path, such as `issuers.logto`.
    public let keyPath: String

    /// Makes a problem at this location.
    public func problem(_ severity: Problem.Severity, _ message: String, hint: String? = nil) -> Problem {
        Problem(severity, at: position, keyPath: keyPath, message: message, hint: hint)
    }
}

extension Value {
    /// Location of the value: of its key for a mapping, of the value itself otherwise.
    var filePlace: FilePlace { FilePlace(position: place, keyPath: path.description) }
}

extension Value.Member {
    /// Location of the key.
    var filePlace: FilePlace { FilePlace(position: value.keyPosition, keyPath: value.path.description) }
}
