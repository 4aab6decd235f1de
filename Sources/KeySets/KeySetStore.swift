import JOSE
import Synchronization
import TokenVerification

/// Holds the snapshot of one key set. Its lifecycle writes it, and every request reads it.
public final class KeySetStore: Sendable {
    private let current: Mutex<KeySetSnapshot>
    /// Number that grows whenever a key is removed. A token verified in one epoch counts as verified only as long as
    /// the epoch is the same.
    private let epoch = Atomic<UInt64>(1)
    /// Time at which the keys become too old: bit pattern of the seconds since 1970, a `Double`.
    private let usableUntil: Atomic<UInt64>
    /// Key IDs of requests that were asked to retry since the last fetch began.
    private let unasked = Mutex<Set<String>>([])
    private let tables: KeyTables?

    /// - Parameter tables: tables for the keys of this set. Nil if libcrypto verifies everything.
    public init(_ snapshot: KeySetSnapshot, tables: KeyTables? = nil) {
        current = Mutex(snapshot)
        usableUntil = Atomic(snapshot.usableUntil.bitPattern)
        self.tables = tables
        tables?.publish(snapshot.keys?.keys ?? [])
    }

    /// Current epoch of the keys. Read it before the snapshot whose keys verify a token.
    public var keyEpoch: UInt64 { epoch.load(ordering: .acquiring) &+ (tables?.epoch ?? 0) }

    /// True if a token verified in this epoch still counts as verified: no key was removed since, no table of keys was
    /// found to be wrong, and the keys are not too old. Takes no lock.
    public func vouches(for keyEpoch: UInt64, at now: NumericDate) -> Bool {
        self.keyEpoch == keyEpoch
            && now.seconds < Double(bitPattern: usableUntil.load(ordering: .relaxed))
    }

    /// A copy of the current snapshot. A request uses one copy from beginning to end.
    public func snapshot() -> KeySetSnapshot {
        current.withLock { $0 }
    }

    /// Records an unknown key ID for which no fetch is allowed now. The next fetch answers for it too, even if it was
    /// made for other key IDs.
    ///
    /// Records at most ``RefusedKeyIDs/limit`` key IDs.
    public func noteUnasked(_ keyID: String) {
        unasked.withLock { unasked in
            if unasked.count < RefusedKeyIDs.limit { unasked.insert(keyID) }
        }
    }

    /// Takes the recorded key IDs. A fetch that begins now answers for them, besides those that requests wait for.
    public func takeUnasked() -> Set<String> {
        unasked.withLock { unasked in
            defer { unasked = [] }
            return unasked
        }
    }

    /// Replaces the snapshot. Readers see all of the new one or nothing of it.
    public func publish(_ snapshot: KeySetSnapshot) {
        // Before the keys are in use: their material may have a table already.
        if let tables, let keys = snapshot.keys { tables.publish(keys.keys) }
        current.withLock { current in
            let isSmaller = snapshot.generation != current.generation && snapshot.lacksKeys(of: current)
            current = snapshot
            usableUntil.store(snapshot.usableUntil.bitPattern, ordering: .relaxed)
            // Changed under the lock, after the keys: a reader of the new epoch then reads these keys or later ones.
            if isSmaller { epoch.wrappingAdd(1, ordering: .acquiringAndReleasing) }
        }
    }
}

extension KeySetSnapshot {
    /// Time at which the keys become too old, in seconds since 1970. Negative infinity without keys, infinity if each
    /// key is removed when it is too old.
    fileprivate var usableUntil: Double {
        if hasSingleKeys { return .infinity }
        guard keys != nil, let fetchedAt else { return -.infinity }
        return (fetchedAt + staleLimit).seconds
    }

    /// True if any key of an older snapshot was removed or changed.
    fileprivate func lacksKeys(of older: KeySetSnapshot) -> Bool {
        guard let olderKeys = older.keys else { return false }
        return olderKeys.countOfKeys(missingFrom: keys) > 0
    }
}
