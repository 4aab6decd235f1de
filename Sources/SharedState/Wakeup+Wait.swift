import Files

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension Wakeup {
    /// Waits until there is a signal, the socket is ready, or the time is over. Without a signal descriptor it waits at
    /// most 20 milliseconds.
    ///
    /// - Returns: the operations that the socket is ready for.
    func wait(_ socket: CInt?, writes: Bool, for time: Duration) -> (canRead: Bool, canWrite: Bool) {
        var polled = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        if let socket { polled.append(pollfd(fd: socket, events: Int16(POLLIN | (writes ? POLLOUT : 0)), revents: 0)) }
        let (seconds, attoseconds) = max(time, .zero).components
        let milliseconds = CInt(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
        let longest: CInt = descriptor < 0 ? 20 : .max
        _ = unsafe poll(&polled, nfds_t(polled.count), min(milliseconds, longest))
        if polled[0].revents != 0 { clear() }
        guard polled.count > 1 else { return (false, false) }
        let events = CInt(polled[1].revents)
        return (events & (POLLIN | POLLERR | POLLHUP) != 0, events & (POLLOUT | POLLERR | POLLHUP) != 0)
    }
}
