import JOSE

/// A key set that a provider publishes, and the documents that lead to it.
public struct SampleKeySet: Sendable, Hashable {
    /// Name of the provider's key set; see ``ProviderSetup/keySets``.
    public let name: String
    /// The path at the provider's host.
    public let path: String
    /// The metadata documents whose `jwks_uri` is this key set.
    public let discovery: [SampleDiscovery]
    /// The keys in the order of the document; not empty.
    public var keys: [SampleKeyEntry]
    public let caching: SampleCaching
    /// Media type of the served document.
    public let mediaType: String

    /// The name of a key set where a provider has only one.
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

    /// The algorithms of the keys that sign, each once.
    public var algorithms: [String] {
        keys.filter(\.signs).reduce(into: []) { algorithms, key in
            if !algorithms.contains(key.name.algorithm.rawValue) { algorithms.append(key.name.algorithm.rawValue) }
        }
    }
}
