#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Queue of signals that are blocked from the start, and taken one at a time where the process waits for them.
struct SignalQueue {
    private var set = sigset_t()

    /// Blocks the signals. Call it before anything could start a thread.
    init(_ signals: [CInt]) {
        unsafe sigemptyset(&set)
        for signal in signals { unsafe sigaddset(&set, signal) }
        unsafe sigprocmask(SIG_BLOCK, &set, nil)
    }

    /// Blocks the signals, so that the system keeps them until a queue takes them. Call it before anything could start
    /// a thread.
    static func hold(_ signals: [CInt]) {
        _ = SignalQueue(signals)
    }

    /// Next signal. Nil if none arrives in time.
    mutating func next(within limit: Duration) -> CInt? {
        let (seconds, attoseconds) = max(limit, .zero).components
        var time = timespec(tv_sec: Int(clamping: seconds), tv_nsec: Int(clamping: attoseconds / 1_000_000_000))
        let signal = unsafe sigtimedwait(&set, nil, &time)
        return signal > 0 ? signal : nil
    }
}
