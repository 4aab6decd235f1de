import JOSE
import TokenVerification

/// Where a file speaks of an issuer, for what is found out about it later.
public struct IssuerPlace: Sendable, Hashable {
    public let place: FilePlace
    /// What its key sets are called, in their order; a single one may have no name.
    public let keySetNames: IndexedBy<KeySetIndex, String>
    /// nil: its opaque tokens are refused.
    public let introspection: IntrospectionPlace?

    public var position: Position { place.position }
    /// The way to the issuer, `issuers.logto`.
    public var keyPath: String { place.keyPath }

    /// What to tell of one of the issuer's key sets: in the words of a problem of the file, so that it is found at the
    /// same place.
    public func problem(_ severity: Problem.Severity, keySet: KeySetIndex, _ message: String) -> Problem {
        let name = keySetNames.count > 1 ? keySetNames[keySet].map { "key set `\($0)`: " } ?? "" : ""
        return place.problem(severity, name + message)
    }

    /// What to tell of a key set that was fetched.
    public func keysFound(keySet: KeySetIndex, usable: Int, skipped: Int) -> Problem {
        let notUsable = skipped == 0 ? "" : ", \(skipped) not usable"
        return problem(.note, keySet: keySet, Quantity.text(of: usable, "usable key") + notUsable)
    }

    /// What to tell of a key that is not used.
    public func problem(of key: SkippedKey, keySet: KeySetIndex) -> Problem {
        problem(key.reason.weight == .ordinary ? .note : .warning, keySet: keySet, "\(key)")
    }

    /// What to tell of a key that is used, although it is written in an unusual way.
    public func problem(of key: UnusualKey, keySet: KeySetIndex) -> Problem {
        problem(.warning, keySet: keySet, "\(key)")
    }
}

/// Where a file says how an issuer is asked about opaque tokens.
public struct IntrospectionPlace: Sendable, Hashable {
    public let section: FilePlace
    public let clientID: FilePlace
    public let clientSecretFile: FilePlace

    /// That the issuer does not take us for the client; both halves of the credentials are pointed at.
    public func credentialsRefused(_ message: String) -> Problem {
        clientID.problem(.error, message, hint: "`client_secret_file` is at \(clientSecretFile.position)")
    }
}
