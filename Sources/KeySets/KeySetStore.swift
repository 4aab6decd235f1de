import Synchronization
import TokenVerification

/// Holds one key set's snapshot: written by its lifecycle, read by every request.
public final class KeySetStore: Sendable {
    private let current: Mutex<KeySetSnapshot>
    /// Grows whenever a key goes: what was proved by the keys of one epoch is proved by those of the present one only
    /// if it is the same.
    private let epoch = Atomic<UInt64>(1)
    /// Time at which the keys become too old, as the bits of its seconds.
    private let usableUntil: Atomic<UInt64>
    /// Key IDs that requests were told to come back with, since the last fetch began.
    private let unasked = Mutex<Set<String>>([])

    public init(_ snapshot: KeySetSnapshot) {
        current = Mutex(snapshot)
        usableUntil = Atomic(snapshot.usableUntil.bitPattern)
    }

    /// Read it before the snapshot that something is proved by.
    public var keyEpoch: UInt64 { epoch.load(ordering: .acquiring) }

    /// Whether what was proved in an epoch still stands: no key went since, and the keys are not too old. Takes no
    /// lock.
    public func vouches(for keyEpoch: UInt64, at now: NumericDate) -> Bool {
        epoch.load(ordering: .acquiring) == keyEpoch
            && now.seconds < Double(bitPattern: usableUntil.load(ordering: .relaxed))
    }

    /// A copy of the current snapshot; a request works with one copy from beginning to end.
    public func snapshot() -> KeySetSnapshot {
        current.withLock { $0 }
    }

    /// Notes a key ID that nobody may ask about now: the next fetch answers for it too, however many others there are.
    ///
    /// No more are noted than can be refused.
    public func noteUnasked(_ keyID: String) {
        unasked.withLock { unasked in
            if unasked.count < RefusedKeyIDs.limit { unasked.insert(keyID) }
        }
    }

    /// The key IDs that a fetch which begins now answers for, besides those that are waited for.
    public func takeUnasked() -> Set<String> {
        unasked.withLock { unasked in
            defer { unasked = [] }
            return unasked
        }
    }

    /// Puts a newer snapshot in place; readers see all of it or nothing of it.
    public func publish(_ snapshot: KeySetSnapshot) {
        current.withLock { current in
            let isSmaller = snapshot.generation != current.generation && snapshot.lacksKeys(of: current)
            current = snapshot
            usableUntil.store(snapshot.usableUntil.bitPattern, ordering: .relaxed)
            // Under the lock, after the keys: a reader of the new epoch reads these keys or later ones.
            if isSmaller { epoch.wrappingAdd(1, ordering: .acquiringAndReleasing) }
        }
    }
}

extension KeySetSnapshot {
    /// Seconds since 1970; before all time without keys.
    fileprivate var usableUntil: Double {
        guard keys != nil, let fetchedAt else { return -.infinity }
        return (fetchedAt + staleLimit).seconds
    }

    /// Whether some key of an older snapshot is not here any more, or not as it was.
    fileprivate func lacksKeys(of older: KeySetSnapshot) -> Bool {
        guard let olderKeys = older.keys else { return false }
        return olderKeys.countOfKeys(missingFrom: keys) > 0
    }
}
