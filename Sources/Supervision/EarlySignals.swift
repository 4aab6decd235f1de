import Synchronization

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Signals that come before a worker takes them: noted, and sent again once it does.
///
/// That they are blocked at a worker's first instruction is not enough. Its main thread then waits for signals of every
/// kind, long before there is anything that takes them, and one that nothing takes ends the process.
public enum EarlySignals {
    /// A bit for each number.
    private static let noted = Atomic<UInt64>(0)

    /// Notes signals from now on. Call it on the main thread, before that waits.
    public static func note() {
        // Made here, because a handler must not make anything.
        noted.store(0, ordering: .relaxed)
        for number in ChildProcess.heldSignals {
            signal(number) { EarlySignals.noted.bitwiseOr(1 &<< UInt64(truncatingIfNeeded: $0), ordering: .relaxed) }
        }
    }

    /// Sends what was noted to this process again. Call it once something takes these signals.
    public static func sendAgain() {
        let numbers = noted.exchange(0, ordering: .relaxed)
        for number in ChildProcess.heldSignals where numbers & (1 &<< UInt64(truncatingIfNeeded: number)) != 0 {
            kill(getpid(), number)
        }
    }
}
