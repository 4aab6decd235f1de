import JOSE

/// Configuration of one key set by an operator or a profile: its source, its connection, its times and limits.
public struct KeySetConfiguration: Sendable, Hashable {
    public var source: KeySetSource
    /// The `issuer` that a metadata document must name, byte for byte; also what logs call this key set.
    public var issuer: String
    /// File of trust anchors in PEM that replace the system's. Nil if the system's apply.
    public var caFile: String?
    /// Permits plain http to addresses that are not loopback.
    public var allowsPlainHTTP: Bool
    /// Credentials for the key set's server. Nil if none are sent.
    public var credentials: KeySetCredentials?

    /// Use of the keys that verify signatures.
    public var keyUse = KeyUse.signatures

    /// The least time that an answer counts as fresh; a longer `max-age` is honoured up to ``freshnessLimit``.
    public var refreshInterval: Duration = .seconds(300)
    /// The longest time that an answer counts as fresh, whatever its server says.
    public var freshnessLimit: Duration = .seconds(6 * 3600)
    /// Time until one more fetch for an unknown key ID is allowed.
    public var unknownKeyIDInterval: Duration = .seconds(15)
    /// Number of fetches for unknown key IDs that can be saved up.
    public var unknownKeyIDBurst = 5
    /// The age at which a set that could not be fetched again stops being used.
    public var staleLimit: Duration = usualStaleLimit
    /// Time for which a key that left the document can still be used.
    public var retention: Duration = .zero
    /// The time one attempt may take in all: addresses, connection, TLS, metadata, key set.
    public var fetchDeadline: Duration = .seconds(5)
    /// The bytes of a document beyond which nothing is read.
    public var documentLimit = 256 * 1024
    /// The keys beyond which a document is refused; as many that left it are kept at most.
    public var keyLimit = 200
    /// The requests that may wait for keys at one time.
    public var waitingLimit = 1024

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
    /// One configuration for issuers that share a key set: each time the careful choice, each size the larger one.
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
