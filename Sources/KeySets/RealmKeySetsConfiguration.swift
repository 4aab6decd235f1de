import JOSE
import TokenVerification

/// Configuration of the key sets of an issuer's realms: the same for each, except for the realm's address.
public struct RealmKeySetsConfiguration: Sendable, Hashable {
    public let pattern: RealmPattern
    /// Most realms that have a place.
    public let most: Int
    /// Configuration of every realm's key set. Its source and issuer are those of the pattern.
    private let common: KeySetConfiguration

    public static let usualMost = 100
    /// Greatest number of realms that an operator may choose. Each has a key set of its own in memory.
    public static let greatestMost = 1000

    /// - Parameter common: connection, times and limits; the source and the issuer are replaced.
    public init(pattern: RealmPattern, most: Int = usualMost, common: KeySetConfiguration) {
        self.pattern = pattern
        self.most = most
        var common = common
        common.source = .discovery(issuer: pattern.description)
        common.issuer = pattern.description
        self.common = common
    }

    /// Configuration of the key set of one realm.
    public func keySet(of realm: String) -> KeySetConfiguration { common.at(realm, of: pattern) }

    /// True if a realm's key set is fetched in the same way with both configurations.
    public func fetchesLike(_ other: RealmKeySetsConfiguration) -> Bool { common.identity == other.common.identity }

    /// Identity of the key sets, as text: the way they are fetched.
    var identityText: [UInt8] { common.identity.text }

    /// Name of the file with the realms that had a place. Nil only if libcrypto failed.
    public var fileName: String? {
        SHA256.hexadecimal(of: String(decoding: identityText, as: UTF8.self) + "\(pattern.names)").map { "\($0).json" }
    }
}

extension KeySetConfiguration {
    /// This configuration for the key set of one realm. It is found by discovery, and the key set is fetched only from
    /// below the realm's own address.
    public func at(_ realm: String, of pattern: RealmPattern) -> KeySetConfiguration {
        var configuration = self
        configuration.issuer = pattern.issuer(of: realm)
        configuration.source = .discovery(issuer: configuration.issuer)
        configuration.keysBelow = pattern.place(of: realm)
        return configuration
    }
}
