import JOSE

extension KeySet {
    /// One key as far as verdicts depend on it.
    private struct Identity: Hashable {
        /// By bytes: Swift holds canonically equivalent strings to be equal.
        var keyID: [UInt8]?
        var thumbprint: [UInt8]
        var algorithms: SignatureAlgorithmSet
        var issuer: [UInt8]?

        init(_ key: VerificationKey) {
            keyID = key.keyIDBytes
            thumbprint = key.thumbprint
            algorithms = key.algorithms
            issuer = key.issuer.map { Array($0.utf8) }
        }
    }

    private var identities: Set<Identity> {
        Set(keys.map(Identity.init))
    }

    /// Whether two sets lead to the same verdict on every token; their order does not matter.
    public func hasSameKeys(as other: KeySet?) -> Bool {
        guard let other else { return false }
        return identities == other.identities
    }

    /// Number of keys in this set that are not in an older one.
    public func countOfKeys(missingFrom other: KeySet?) -> Int {
        guard let other else { return identities.count }
        return identities.subtracting(other.identities).count
    }

    /// Whether any key has this ID, for whatever algorithm.
    public func contains(keyID: String) -> Bool {
        keys.contains { $0.keyID?.utf8.elementsEqual(keyID.utf8) ?? false }
    }
}

extension VerificationKey {
    /// The key ID as what it is compared by.
    var keyIDBytes: [UInt8]? { keyID.map { Array($0.utf8) } }
}
