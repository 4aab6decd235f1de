import JOSE
import TokenVerification

/// Keys that left the document and can still be used for a while.
///
/// Some issuers answer with one subset of their keys now and another a moment later. Where a profile asks for it, a key
/// is kept until its retention has passed since it was last seen. A key that is in the document always wins over a kept
/// one of the same key ID, and a key without one is never kept.
struct KeyRetention: Sendable {
    private let retention: Duration
    private let limit: Int
    /// The latest seen first; none has a key ID of the document's.
    private(set) var kept: [KeptKey] = []

    /// No more than `limit` keys are kept: the latest seen of them.
    init(retention: Duration, limit: Int) {
        self.retention = retention
        self.limit = max(0, limit)
    }

    /// Time at which the next of the kept keys expires.
    var nextExpiry: NumericDate? { kept.last.map { $0.lastSeen + retention } }

    /// A newer document takes the place of one that was last seen at that time.
    mutating func replace(_ document: KeySet?, lastSeen: NumericDate?, by newer: KeySet) {
        guard let document, let lastSeen else { return }
        keep(kept + document.keys.map { KeptKey($0, lastSeen: lastSeen) }, beside: newer)
    }

    /// Takes over keys that were kept before, with the time that is left to them.
    mutating func restore(_ saved: [KeptKey], beside document: KeySet) {
        keep(saved, beside: document)
    }

    /// Forgets what has been gone for too long; whether anything was.
    mutating func expire(at now: NumericDate) -> Bool {
        guard let nextExpiry, nextExpiry <= now else { return false }
        kept.removeAll { $0.lastSeen + retention <= now }
        return true
    }

    /// The keys to use: the document's and the kept ones.
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
