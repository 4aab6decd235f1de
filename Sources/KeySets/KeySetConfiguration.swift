import JOSE

/// Configuration of one key set by an operator or a profile: its source, its connection, its times and limits.
public struct KeySetConfiguration: Sendable, Hashable {
    public var source: KeySetSource
    /// The `issuer` that a metadata document must have, byte for byte. Logs name the key set by it.
    public var issuer: String
    /// URL of the place that a metadata document must name a key set below, on the same origin. Nil if any https URL is
    /// accepted.
    public var keysBelow: String?
    /// File of trust anchors in PEM that replace the system's. Nil if the system's apply.
    public var caFile: String?
    /// Permits plain http to addresses that are not loopback.
    public var allowsPlainHTTP: Bool
    /// Credentials for the key set's server. Nil if none are sent.
    public var credentials: KeySetCredentials?

    /// Accepted `use` of the keys.
    public var keyUse = KeyUse.signatures

    /// Shortest time for which an answer counts as fresh. A longer `max-age` is used up to ``freshnessLimit``.
    public var refreshInterval: Duration = .seconds(300)
    /// Longest time for which an answer counts as fresh, even if its `max-age` is longer.
    public var freshnessLimit: Duration = .seconds(6 * 3600)
    /// Time after which one more fetch for an unknown key ID is allowed.
    public var unknownKeyIDInterval: Duration = .seconds(15)
    /// Largest number of fetches for unknown key IDs that can be made in a burst.
    public var unknownKeyIDBurst = 5
    /// Age from which a key set that could not be fetched again is no longer used.
    public var staleLimit: Duration = usualStaleLimit
    /// Time for which a key can still be used after it left the document.
    public var retention: Duration = .zero
    /// Longest time for a whole attempt: addresses, connection, TLS, metadata, key set.
    public var fetchDeadline: Duration = .seconds(5)
    /// Largest document, in bytes.
    public var documentLimit = 256 * 1024
    /// Largest number of keys in a document, and largest number of kept keys that left it.
    public var keyLimit = 200
    /// Largest number of requests that may wait for keys at the same time.
    public var waitingLimit = 1024

    /// Time for which a key is used that the last answer did not contain. For single keys, which no answer lists, the
    /// stale limit of each.
    var keptRetention: Duration { source.hasSingleKeys ? staleLimit : retention }

    public static let usualStaleLimit = Duration.seconds(24 * 3600)
    /// Longest stale limit that an operator may choose. A gateway that cannot reach its issuer uses a withdrawn key for
    /// this time.
    public static let longestStaleLimit = Duration.seconds(30 * 86_400)

    public init(source: KeySetSource, issuer: String, caFile: String? = nil, allowsPlainHTTP: Bool = false) {
        self.source = source
        self.issuer = issuer
        self.caFile = caFile
        self.allowsPlainHTTP = allowsPlainHTTP
    }
}

extension KeySetConfiguration {
    /// Merges the configurations of issuers that share a key set. Takes the more careful value for freshness, stale
    /// limit and fetches for unknown key IDs, and the larger value of all other times and sizes.
    public func merged(with other: KeySetConfiguration) -> KeySetConfiguration {
        var merged = self
        merged.refreshInterval = min(refreshInterval, other.refreshInterval)
        merged.freshnessLimit = min(freshnessLimit, other.freshnessLimit)
        merged.unknownKeyIDInterval = max(unknownKeyIDInterval, other.unknownKeyIDInterval)
        merged.unknownKeyIDBurst = min(unknownKeyIDBurst, other.unknownKeyIDBurst)
        merged.staleLimit = min(staleLimit, other.staleLimit)
        merged.retention = max(retention, other.retention)
        merged.fetchDeadline = max(fetchDeadline, other.fetchDeadline)
        merged.documentLimit = max(documentLimit, other.documentLimit)
        merged.keyLimit = max(keyLimit, other.keyLimit)
        merged.waitingLimit = max(waitingLimit, other.waitingLimit)
        return merged
    }
}
