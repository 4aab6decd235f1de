import SystemPackage

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// An open file, pipe or terminal. It is closed with its last reference, unless it is a standard stream.
///
/// Methods throw ``SystemPackage/Errno``, whose description is the system's error message.
public final class OpenFile: Sendable {
    public let descriptor: FileDescriptor
    private let closes: Bool

    /// Opens a file.
    ///
    /// - Parameter permissions: Mode of the file if it is created.
    public init(
        _ path: String, _ mode: FileDescriptor.AccessMode, _ options: FileDescriptor.OpenOptions = [],
        permissions: FilePermissions = .ownerReadWrite
    ) throws(Errno) {
        do {
            descriptor = try FileDescriptor.open(
                FilePath(path), mode, options: options.union(.closeOnExec), permissions: permissions)
        } catch {
            throw error as? Errno ?? .ioError
        }
        closes = true
    }

    /// Takes over an open descriptor.
    ///
    /// - Parameter closes: False if `deinit` must leave the descriptor open.
    public init(_ descriptor: FileDescriptor, closes: Bool = true) {
        self.descriptor = descriptor
        self.closes = closes
    }

    deinit {
        if closes { try? descriptor.close() }
    }

    public static let standardInput = OpenFile(.standardInput, closes: false)
    public static let standardOutput = OpenFile(.standardOutput, closes: false)
    public static let standardError = OpenFile(.standardError, closes: false)

    /// Reads the bytes available now, at most `count`. Empty at the end of the file.
    public func read(upTo count: Int) throws(Errno) -> [UInt8] {
        do {
            return unsafe try [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
                length = unsafe try descriptor.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
        } catch {
            throw error as? Errno ?? .ioError
        }
    }

    /// Reads to the end of the file. Nil if it has more than `limit` bytes.
    public func readToEnd(limit: Int) throws(Errno) -> [UInt8]? {
        var bytes: [UInt8] = []
        while true {
            // One byte past the limit reveals a longer file.
            let part = try read(upTo: min(Self.partSize, limit - bytes.count) + 1)
            guard !part.isEmpty else { return bytes }
            guard part.count <= limit - bytes.count else { return nil }
            bytes += part
        }
    }

    private static let partSize = 64 * 1024

    /// Writes all of the bytes.
    public func write(_ bytes: some Sequence<UInt8>) throws(Errno) {
        do {
            try descriptor.writeAll(bytes)
        } catch {
            throw error as? Errno ?? .ioError
        }
    }

    /// Moves to an offset from the start.
    public func seek(to offset: Int) throws(Errno) {
        do {
            try descriptor.seek(offset: Int64(offset), from: .start)
        } catch {
            throw error as? Errno ?? .ioError
        }
    }

    /// Flushes written data to the disk (`fsync`).
    public func synchronize() throws(Errno) {
        guard fsync(descriptor.rawValue) == 0 else { throw Errno(rawValue: errno) }
    }
}
