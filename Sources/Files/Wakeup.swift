import CDescriptors

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// An event descriptor (`eventfd`) that wakes a polling thread.
public final class Wakeup: Sendable {
    /// The `eventfd`, readable once signalled. Negative if the system could not create it.
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
