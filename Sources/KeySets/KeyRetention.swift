import JOSE
import TokenVerification

/// Keys that left the document and can still be used for a while.
///
/// Some issuers answer with one subset of their keys now and another a moment later. Where a profile asks for it, a key is kept until its
/// retention has passed since it was last seen. A key that is in the document always wins over a kept one of the same key ID.
struct KeyRetention: Sendable {
    private struct Entry: Sendable {
        var key: VerificationKey
        var lastSeen: NumericDate
    }

    private let retention: Duration
    private var entries: [String: [Entry]] = [:]

    init(retention: Duration) {
        self.retention = retention
    }

    /// Takes note of a document's keys and adds those that are kept.
    mutating func merge(_ fetched: KeySet, at now: NumericDate) -> KeySet {
        guard retention > .zero else { return fetched }
        expire(at: now)
        var seen: [String: [Entry]] = [:]
        for key in fetched.keys {
            guard let keyID = key.keyID else { continue }
            seen[keyID, default: []].append(Entry(key: key, lastSeen: now))
        }
        let kept = entries.filter { seen[$0.key] == nil }
        entries = kept.merging(seen) { _, current in current }
        guard !kept.isEmpty else { return fetched }
        return KeySet(keys: fetched.keys + kept.sorted { $0.key < $1.key }.flatMap { $0.value.map(\.key) })
    }

    /// Forgets what has been gone for too long.
    private mutating func expire(at now: NumericDate) {
        entries = entries.filter { _, list in list.contains { now < $0.lastSeen + retention } }
    }
}
