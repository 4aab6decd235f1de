#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Thread for work that may block forever. It is never joined, and the process may exit while it blocks.
///
/// Foundation's `Thread` does not report that the system could not create one.
enum WriterThread {
    private final class Work {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Stack size in bytes. The system's larger default would count against a limit of address space.
    private static let stackSize = 512 * 1024

    /// Starts a thread. Returns false if the system could not create one. The thread blocks all signals, because other
    /// threads wait for them.
    static func start(_ work: @escaping @Sendable () -> Void) -> Bool {
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        unsafe pthread_attr_setstacksize(&attributes, stackSize)
        var all = sigset_t()
        var before = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        let handle = unsafe Unmanaged.passRetained(Work(work))
        #if canImport(Musl)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let status = unsafe pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, handle.toOpaque())
        if status != 0 { unsafe handle.release() }
        return status == 0
    }
}
