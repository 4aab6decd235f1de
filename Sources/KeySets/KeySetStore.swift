import Synchronization

/// The place where one key set's snapshot lies: written by its lifecycle, read by every request.
public final class KeySetStore: Sendable {
    private let current: Mutex<KeySetSnapshot>

    public init(_ snapshot: KeySetSnapshot) {
        current = Mutex(snapshot)
    }

    /// A copy of the current snapshot; a request works with one copy from beginning to end.
    public func snapshot() -> KeySetSnapshot {
        current.withLock { $0 }
    }

    /// Puts a newer snapshot in place; readers see all of it or nothing of it.
    public func publish(_ snapshot: KeySetSnapshot) {
        current.withLock { $0 = snapshot }
    }
}
