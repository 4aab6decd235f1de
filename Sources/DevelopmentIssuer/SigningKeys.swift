import JOSESigning

/// Keys of the development issuer: the current one of each requested algorithm, and earlier ones that are still
/// published.
struct SigningKeys: Sendable {
    private var inUse: [DevelopmentAlgorithm: SigningKey] = [:]
    /// Earlier keys that are still published, the oldest first.
    private var retired: [SigningKey] = []

    /// Maximum number of earlier keys that stay published. Beyond it the oldest is removed.
    static let mostRetired = 16

    /// Algorithms that have a key, in the order of `DevelopmentAlgorithm`.
    var algorithms: [DevelopmentAlgorithm] {
        DevelopmentAlgorithm.allCases.filter { algorithm in inUse[algorithm] != nil }
    }

    /// Keys in the JWK set: the current ones, then the earlier ones.
    var published: [SigningKey] {
        algorithms.compactMap { algorithm in inUse[algorithm] } + retired
    }

    func key(for algorithm: DevelopmentAlgorithm) -> SigningKey? {
        inUse[algorithm]
    }

    /// Adds a key and returns it. If the algorithm already has a key, that one is kept and returned.
    mutating func add(_ key: SigningKey, for algorithm: DevelopmentAlgorithm) -> SigningKey {
        if let known = inUse[algorithm] { return known }
        inUse[algorithm] = key
        return key
    }

    /// Replaces current keys by new ones.
    mutating func rotate(to keys: [DevelopmentAlgorithm: SigningKey], _ oldKeys: OldKeys) {
        let replaced = keys.keys.compactMap { algorithm in inUse[algorithm] }
        inUse.merge(keys) { _, new in new }
        switch oldKeys {
        case .stayPublished: retired = Array((retired + replaced).suffix(Self.mostRetired))
        case .areDropped: retired = []
        }
    }
}

/// Treatment of the old keys at a rotation.
public enum OldKeys: Sendable, Hashable {
    /// The old keys stay published, so tokens that they signed can still be verified.
    case stayPublished
    /// The JWK set contains only the new keys.
    case areDropped
}
