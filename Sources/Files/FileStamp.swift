import SystemPackage

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Identity, size and times of a file. Two stamps of a path are equal if the file was neither changed nor replaced in
/// between.
///
/// An attacker who rewrites the file in place can keep its size and reset its modification time, but not its change
/// time (`ctime`). The kernel updates `ctime` with a resolution of a few milliseconds.
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

    /// Takes the stamp of a path and follows symbolic links, so a link set to another file counts as a change. Nil if
    /// `stat` fails.
    public init?(_ path: String) {
        guard let found = try? Stat(FilePath(path)) else { return nil }
        isRegularFile = found.type == .regular
        (device, inode, size) = (found.deviceID, found.inode, found.size)
        modified = Time(seconds: found.st_mtim.tv_sec, nanoseconds: found.st_mtim.tv_nsec)
        changed = Time(seconds: found.st_ctim.tv_sec, nanoseconds: found.st_ctim.tv_nsec)
    }
}
