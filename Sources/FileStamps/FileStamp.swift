#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Tells whether a file was changed or replaced: two looks at the same file that was not touched are equal.
///
/// Whoever writes in place can set the time of modification back, and keep the size; nobody sets the time of the last change. That one is as
/// exact as the system's ticks, of a few milliseconds.
public struct FileStamp: Sendable, Hashable {
    public let isRegularFile: Bool
    private let device: UInt64
    private let inode: UInt64
    private let size: Int64
    private let modified: Time
    private let changed: Time

    private struct Time: Hashable {
        let seconds: Int
        let nanoseconds: Int

        init(_ time: timespec) {
            (seconds, nanoseconds) = (time.tv_sec, time.tv_nsec)
        }
    }

    /// Of what the path leads to, by way of symbolic links too, so that one set to another file is a change; nil: nothing that can be looked at.
    public init?(_ path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        isRegularFile = status.st_mode & S_IFMT == S_IFREG
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int64(status.st_size)
        (modified, changed) = (Time(status.st_mtim), Time(status.st_ctim))
    }
}
