#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Notifies systemd of the service's state (`sd_notify(3)`), by a datagram to the socket in `NOTIFY_SOCKET`.
struct ServiceManager {
    private let address: String

    /// Nil if no service manager asks for notifications.
    init?(environment: [String: String]) {
        guard let address = environment["NOTIFY_SOCKET"], address.hasPrefix("/") || address.hasPrefix("@") else {
            return nil
        }
        self.address = address
    }

    /// Longest wait for a busy service manager.
    private static let patience = timeval(tv_sec: 1, tv_usec: 0)

    /// Sends a state such as `READY=1`. There is no acknowledgement, and it may be lost.
    func tell(_ state: String) {
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        // An abstract name begins with a zero byte in place of the `@`.
        let path = address.hasPrefix("@") ? [0] + Array(address.utf8.dropFirst()) : Array(address.utf8)
        let fits = unsafe withUnsafeMutableBytes(of: &name.sun_path) { target in
            guard path.count < target.count else { return false }
            unsafe target.copyBytes(from: path)
            return true
        }
        guard fits else { return }
        #if canImport(Musl)
            let type = SOCK_DGRAM
        #else
            let type = CInt(SOCK_DGRAM.rawValue)
        #endif
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var patience = Self.patience
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
        _ = unsafe withUnsafePointer(to: &name) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                let text = Array(state.utf8)
                return unsafe sendto(descriptor, text, text.count, 0, address, length)
            }
        }
    }
}
