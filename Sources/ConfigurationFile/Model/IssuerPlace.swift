import JOSE
import TokenVerification

/// Location of an issuer in the file, for problems that are found later.
public struct IssuerPlace: Sendable, Hashable {
    public let place: FilePlace
    /// Names of the issuer's key sets, in their order. A single key set may have no name.
    public let keySetNames: IndexedBy<KeySetIndex, String>
    /// Locations of the introspection keys. Nil if opaque tokens of the issuer are refused.
    public let introspection: IntrospectionPlace?

    public var position: Position { place.position }
    /// Key path of the issuer, such as `issuers.logto`.
    public var keyPath: String { place.keyPath }

    /// Makes a problem about one of the issuer's key sets, at the issuer's location.
    public func problem(_ severity: Problem.Severity, keySet: KeySetIndex, _ message: String) -> Problem {
        let name = keySetNames.count > 1 ? keySetNames[keySet].map { "key set `\($0)`: " } ?? "" : ""
        return place.problem(severity, name + message)
    }

    /// Makes a note about a fetched key set.
    public func keysFound(keySet: KeySetIndex, usable: Int, skipped: Int) -> Problem {
        let notUsable = skipped == 0 ? "" : ", \(skipped) not usable"
        return problem(.note, keySet: keySet, Quantity.text(of: usable, "usable key") + notUsable)
    }

    /// Makes the note that no keys were fetched for realms that are not known beforehand.
    public func realmsNotAsked(_ pattern: RealmPattern) -> Problem {
        place.problem(
            .note, "the keys of \(pattern) are fetched when a token names a realm, so none were fetched now",
            hint: "`bearward explain` with a token fetches those of its realm")
    }

    /// Makes a problem about a key that is not used.
    public func problem(of key: SkippedKey, keySet: KeySetIndex) -> Problem {
        problem(key.reason.weight == .ordinary ? .note : .warning, keySet: keySet, "\(key)")
    }

    /// Makes a problem about a key that is used although it is written in an unusual way.
    public func problem(of key: UnusualKey, keySet: KeySetIndex) -> Problem {
        problem(.warning, keySet: keySet, "\(key)")
    }
}

/// Locations of the keys that configure the introspection of opaque tokens.
public struct IntrospectionPlace: Sendable, Hashable {
    public let section: FilePlace
    public let clientID: FilePlace
    public let clientSecretFile: FilePlace

    /// Makes the error that the issuer rejects our client credentials. It points at both `client_id` and
    /// `client_secret_file`.
    public func credentialsRefused(_ message: String) -> Problem {
        clientID.problem(.error, message, hint: "`client_secret_file` is at \(clientSecretFile.position)")
    }
}
