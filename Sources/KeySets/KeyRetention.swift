import JOSE
import TokenVerification

/// Keys that are no longer in the key set document, but can still be used for a while.
///
/// Some issuers answer with one subset of their keys now, and with another a moment later. If the issuer's profile
/// requires it, a key is kept for a retention time after it was last seen. A key in the document always replaces a kept
/// key with the same key ID. A key without key ID is never kept.
struct KeyRetention: Sendable {
    private let retention: Duration
    private let limit: Int
    /// Kept keys, the most recently seen first. None has the same key ID as a key of the document.
    private(set) var kept: [KeptKey] = []

    /// Keeps at most `limit` keys: the most recently seen ones.
    init(retention: Duration, limit: Int) {
        self.retention = retention
        self.limit = max(0, limit)
    }

    /// Time at which the next kept key expires. Nil if none is kept.
    var nextExpiry: NumericDate? { kept.last.map { $0.lastSeen + retention } }

    /// Keeps the keys of a document, last seen at `lastSeen`, that the newer document does not have.
    mutating func replace(_ document: KeySet?, lastSeen: NumericDate?, by newer: KeySet) {
        guard let document, let lastSeen else { return }
        keep(kept + document.keys.map { KeptKey($0, lastSeen: lastSeen) }, beside: newer)
    }

    /// Restores kept keys from a saved set. Their retention still counts from the time when they were last seen.
    mutating func restore(_ saved: [KeptKey], beside document: KeySet) {
        keep(saved, beside: document)
    }

    /// Keeps a key that was fetched alone, or drops it because its source has none of this ID any more.
    ///
    /// - Parameter key: the key of this ID. Nil if the source has none.
    mutating func replace(keyID: String, by key: VerificationKey?, seen: NumericDate) {
        let others = kept.filter { !($0.key.keyID?.utf8.elementsEqual(keyID.utf8) ?? false) }
        kept = Array(((key.map { [KeptKey($0, lastSeen: seen)] } ?? []) + others).prefix(limit))
    }

    /// Drops the keys whose retention is over. True if any was dropped.
    mutating func expire(at now: NumericDate) -> Bool {
        guard let nextExpiry, nextExpiry <= now else { return false }
        kept.removeAll { $0.lastSeen + retention <= now }
        return true
    }

    /// All usable keys: those of the document and the kept ones.
    func keys(beside document: KeySet) -> KeySet {
        document.adding(kept.map(\.key))
    }

    private mutating func keep(_ candidates: [KeptKey], beside document: KeySet) {
        guard retention > .zero else { return }
        let present = Set(document.keys.compactMap(\.keyIDBytes))
        let gone = candidates.filter { candidate in candidate.key.keyIDBytes.map { !present.contains($0) } ?? false }
        kept = Array(gone.sorted { $0.lastSeen > $1.lastSeen }.prefix(limit))
    }
}
