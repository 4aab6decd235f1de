import TokenVerification
import TypedIndices

/// Where a file speaks of an issuer, for what is found out about it later.
public struct IssuerPlace: Sendable, Hashable {
    public let position: Position
    /// The way to the issuer, `issuers.logto`.
    public let keyPath: String
    /// What its key sets are called, in their order; a single one may have no name.
    public let keySetNames: IndexedBy<KeySetIndex, String>

    /// What to tell of one of the issuer's key sets: in the words of a problem of the file, so that it is found at the same place.
    public func problem(_ severity: Problem.Severity, keySet: KeySetIndex, _ message: String) -> Problem {
        let name = keySetNames.count > 1 ? keySetNames[keySet].map { "key set `\($0)`: " } ?? "" : ""
        return Problem(severity, at: position, keyPath: keyPath, message: name + message)
    }

    /// What to tell of a key set that was fetched.
    public func keysFound(keySet: KeySetIndex, usable: Int, skipped: Int) -> Problem {
        let notUsable = skipped == 0 ? "" : ", \(skipped) not usable"
        return problem(.note, keySet: keySet, Quantity.text(of: usable, "usable key") + notUsable)
    }
}
