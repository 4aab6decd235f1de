import JOSE

extension KeySet {
    /// Properties of a key that verdicts about tokens depend on.
    private struct Identity: Hashable {
        /// Key ID as bytes, because Swift's strings are equal if they are canonically equivalent. Nil if the key has
        /// none.
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

    /// True if both sets give the same verdict on every token. The order of the keys does not matter.
    public func hasSameKeys(as other: KeySet?) -> Bool {
        guard let other else { return false }
        return identities == other.identities
    }

    /// Number of keys in this set that are not in the other set.
    public func countOfKeys(missingFrom other: KeySet?) -> Int {
        guard let other else { return identities.count }
        return identities.subtracting(other.identities).count
    }

    /// True if any key has this ID, for any algorithm.
    public func contains(keyID: String) -> Bool {
        keys.contains { $0.keyID?.utf8.elementsEqual(keyID.utf8) ?? false }
    }
}

extension VerificationKey {
    /// The key ID as bytes, for exact comparisons. Nil if the key has none.
    var keyIDBytes: [UInt8]? { keyID.map { Array($0.utf8) } }
}
