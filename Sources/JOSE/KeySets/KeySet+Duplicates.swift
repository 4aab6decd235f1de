extension KeySet {
    /// A usable key and its index in its document.
    struct Candidate {
        let key: VerificationKey
        let index: Int

        /// Properties that two candidates may share only if they have the same key material.
        private struct Identity: Hashable {
            let keyID: [UInt8]
            let type: KeyType
        }

        private var identity: Identity? {
            key.keyID.map { keyID in Identity(keyID: Array(keyID.utf8), type: key.keyType) }
        }

        private var skipped: SkippedKey {
            SkippedKey(keyID: key.keyID, algorithm: key.algorithms.sole, index: index, reason: .duplicateKeyID)
        }

        static func resolvingDuplicates(_ candidates: [Candidate]) -> (kept: [Candidate], ambiguous: [SkippedKey]) {
            let ambiguous = ambiguousIdentities(candidates)
            var kept: [Candidate] = []
            // Grouped by identity, because only keys with the same identity can be duplicates. Comparing all pairs of a
            // thousand keys at each reading would be expensive.
            var keptByIdentity: [Identity?: [Candidate]] = [:]
            var skipped: [SkippedKey] = []
            for candidate in candidates {
                if let identity = candidate.identity, ambiguous.contains(identity) {
                    skipped.append(candidate.skipped)
                } else if !keptByIdentity[candidate.identity, default: []].contains(where: candidate.addsNothing) {
                    kept.append(candidate)
                    keptByIdentity[candidate.identity, default: []].append(candidate)
                }
            }
            return (kept, skipped)
        }

        private static func ambiguousIdentities(_ candidates: [Candidate]) -> Set<Identity> {
            var thumbprints: [Identity: [UInt8]] = [:]
            var ambiguous: Set<Identity> = []
            for candidate in candidates {
                guard let identity = candidate.identity else { continue }
                let known = thumbprints.updateValue(candidate.key.thumbprint, forKey: identity)
                if let known, known != candidate.key.thumbprint { ambiguous.insert(identity) }
            }
            return ambiguous
        }

        /// True if the other entry, with the same ID, already has this key's material and all its algorithms.
        private func addsNothing(to other: Candidate) -> Bool {
            key.thumbprint == other.key.thumbprint && key.algorithms.isSubset(of: other.key.algorithms)
        }
    }
}
