import JOSE

extension KeySet {
    /// One key as far as verdicts depend on it.
    private struct Identity: Hashable {
        var keyID: String?
        var thumbprint: [UInt8]
        var algorithms: SignatureAlgorithmSet
        var issuer: String?
    }

    private var identities: Set<Identity> {
        Set(keys.map { Identity(keyID: $0.keyID, thumbprint: $0.thumbprint, algorithms: $0.algorithms, issuer: $0.issuer) })
    }

    /// Whether two sets lead to the same verdict on every token; their order does not matter.
    public func hasSameKeys(as other: KeySet?) -> Bool {
        guard let other else { return false }
        return identities == other.identities
    }

    /// How many keys are in this set and not in an older one.
    public func countOfKeys(missingFrom other: KeySet?) -> Int {
        guard let other else { return identities.count }
        return identities.subtracting(other.identities).count
    }

    /// Whether any key has this ID, for whatever algorithm.
    public func contains(keyID: String) -> Bool {
        // By bytes: Swift holds canonically equivalent strings to be equal.
        keys.contains { $0.keyID?.utf8.elementsEqual(keyID.utf8) ?? false }
    }
}
