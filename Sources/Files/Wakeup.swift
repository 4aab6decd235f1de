import CDescriptors

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Wakes a thread that polls.
public final class Wakeup: Sendable {
    /// Readable once signalled; negative where the system had no descriptor to give.
    public let descriptor: CInt

    public init() {
        descriptor = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    public func signal() {
        _ = eventfd_write(descriptor, 1)
    }

    /// Makes the descriptor unreadable again.
    public func clear() {
        var count: eventfd_t = 0
        _ = unsafe eventfd_read(descriptor, &count)
    }
}
