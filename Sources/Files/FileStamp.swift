import SystemPackage

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Tells whether a file was changed or replaced: two looks at the same file that was not touched are equal.
///
/// Whoever writes in place can set the time of modification back, and keep the size; nobody sets the time of the last
/// change. That one is as exact as the system's ticks, of a few milliseconds.
public struct FileStamp: Sendable, Hashable {
    public let isRegularFile: Bool
    private let device: DeviceID
    private let inode: Inode
    private let size: Int64
    private let modified: Time
    private let changed: Time

    private struct Time: Hashable {
        let seconds: Int
        let nanoseconds: Int
    }

    /// Of what the path leads to, by way of symbolic links too, so that one set to another file is a change; nil:
    /// nothing that can be looked at.
    public init?(_ path: String) {
        guard let found = try? Stat(FilePath(path)) else { return nil }
        isRegularFile = found.type == .regular
        (device, inode, size) = (found.deviceID, found.inode, found.size)
        modified = Time(seconds: found.st_mtim.tv_sec, nanoseconds: found.st_mtim.tv_nsec)
        changed = Time(seconds: found.st_ctim.tv_sec, nanoseconds: found.st_ctim.tv_nsec)
    }
}
