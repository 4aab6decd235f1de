import JOSESigning

/// The keys of the issuer: one in use per algorithm asked for, and earlier ones that are still published.
struct SigningKeys: Sendable {
    private var inUse: [DevelopmentAlgorithm: SigningKey] = [:]
    /// The oldest first.
    private var retired: [SigningKey] = []

    /// Earlier keys that stay published; beyond it the oldest goes.
    static let mostRetired = 16

    /// The algorithms that have a key, in the order of their table.
    var algorithms: [DevelopmentAlgorithm] {
        DevelopmentAlgorithm.allCases.filter { algorithm in inUse[algorithm] != nil }
    }

    /// Keys of the JWK set: the keys in use, then the earlier ones.
    var published: [SigningKey] {
        algorithms.compactMap { algorithm in inUse[algorithm] } + retired
    }

    func key(for algorithm: DevelopmentAlgorithm) -> SigningKey? {
        inUse[algorithm]
    }

    /// Takes a key for an algorithm that has none; an algorithm that has one keeps it.
    mutating func add(_ key: SigningKey, for algorithm: DevelopmentAlgorithm) -> SigningKey {
        if let known = inUse[algorithm] { return known }
        inUse[algorithm] = key
        return key
    }

    /// Puts new keys in the place of those in use.
    mutating func rotate(to keys: [DevelopmentAlgorithm: SigningKey], _ oldKeys: OldKeys) {
        let replaced = keys.keys.compactMap { algorithm in inUse[algorithm] }
        inUse.merge(keys) { _, new in new }
        switch oldKeys {
        case .stayPublished: retired = Array((retired + replaced).suffix(Self.mostRetired))
        case .areDropped: retired = []
        }
    }
}

/// Fate of the published keys at a rotation.
public enum OldKeys: Sendable, Hashable {
    /// Tokens they signed can still be verified.
    case stayPublished
    /// The JWK set shows the new keys alone.
    case areDropped
}
