#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Signals taken one at a time where we wait for them, and nowhere else: they are blocked from the start.
struct SignalQueue {
    private var set = sigset_t()

    /// Blocks the signals; call it before anything could start a thread.
    init(_ signals: [CInt]) {
        unsafe sigemptyset(&set)
        for signal in signals { unsafe sigaddset(&set, signal) }
        unsafe sigprocmask(SIG_BLOCK, &set, nil)
    }

    /// Has the system keep these until a queue takes them; call it before anything could start a thread.
    static func hold(_ signals: [CInt]) {
        _ = SignalQueue(signals)
    }

    /// The next signal; nil if none comes in time.
    mutating func next(within limit: Duration) -> CInt? {
        let (seconds, attoseconds) = max(limit, .zero).components
        var time = timespec(tv_sec: Int(clamping: seconds), tv_nsec: Int(clamping: attoseconds / 1_000_000_000))
        let signal = unsafe sigtimedwait(&set, nil, &time)
        return signal > 0 ? signal : nil
    }
}
