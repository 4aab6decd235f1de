import JOSE

/// A key set that a provider publishes, and the metadata documents that refer to it.
public struct SampleKeySet: Sendable, Hashable {
    /// Name of the key set; see ``ProviderSetup/keySets``.
    public let name: String
    /// Path of the key set's URL at the provider's host.
    public let path: String
    /// The metadata documents whose `jwks_uri` is this key set.
    public let discovery: [SampleDiscovery]
    /// Keys in the order of the document; at least one.
    public var keys: [SampleKeyEntry]
    public let caching: SampleCaching
    /// Media type of the served document.
    public let mediaType: String

    /// Name of the key set of a provider that has only one.
    static let only = "keys"

    init(
        _ name: String = SampleKeySet.only, path: String, discovery: [SampleDiscovery], keys: [SampleKeyEntry],
        caching: SampleCaching, mediaType: String = "application/json",
    ) {
        self.name = name
        self.path = path
        self.discovery = discovery
        self.keys = keys
        self.caching = caching
        self.mediaType = mediaType
    }

    /// Algorithms of the signing keys, without duplicates.
    public var algorithms: [String] {
        keys.filter(\.signs).reduce(into: []) { algorithms, key in
            if !algorithms.contains(key.name.algorithm.rawValue) { algorithms.append(key.name.algorithm.rawValue) }
        }
    }
}
