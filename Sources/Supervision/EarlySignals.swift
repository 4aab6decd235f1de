import Synchronization

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Signals that arrive before a worker can handle them. They are noted, and sent again once it can.
///
/// Blocking them at the worker's first instruction is not enough. Its main thread soon waits for signals of every kind,
/// long before any handler exists. A signal without handler kills the process.
public enum EarlySignals {
    /// Noted signals, one bit for each signal number.
    private static let noted = Atomic<UInt64>(0)

    /// Notes signals from now on. Call it on the main thread, before that thread waits.
    public static func note() {
        // Initialized here, because a signal handler must not initialize anything.
        noted.store(0, ordering: .relaxed)
        for number in ChildProcess.heldSignals {
            signal(number) { EarlySignals.noted.bitwiseOr(1 &<< UInt64(truncatingIfNeeded: $0), ordering: .relaxed) }
        }
    }

    /// Sends the noted signals to this process again. Call it once their handlers exist.
    public static func sendAgain() {
        let numbers = noted.exchange(0, ordering: .relaxed)
        for number in ChildProcess.heldSignals where numbers & (1 &<< UInt64(truncatingIfNeeded: number)) != 0 {
            kill(getpid(), number)
        }
    }
}
