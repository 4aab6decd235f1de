import SystemPackage

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// An open file, pipe or terminal. It is closed with its last reference, unless it is a standard stream.
///
/// An error is the system's ``SystemPackage/Errno``, whose description is the system's words.
public final class OpenFile: Sendable {
    public let descriptor: FileDescriptor
    private let closes: Bool

    /// Opens a file.
    ///
    /// - Parameter permissions: of a file that is made; everyone else gets none.
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

    /// Takes a descriptor over.
    ///
    /// - Parameter closes: false for one that stays open.
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

    /// Reads what is there, at most so many bytes; empty at the end.
    public func read(upTo count: Int) throws(Errno) -> [UInt8] {
        do {
            return unsafe try [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
                length = unsafe try descriptor.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
        } catch {
            throw error as? Errno ?? .ioError
        }
    }

    /// Reads to the end; nil if there are more bytes than that.
    public func readToEnd(limit: Int) throws(Errno) -> [UInt8]? {
        var bytes: [UInt8] = []
        while true {
            // One byte past the limit tells a longer file.
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

    /// Has the system put what was written on the disk.
    public func synchronize() throws(Errno) {
        guard fsync(descriptor.rawValue) == 0 else { throw Errno(rawValue: errno) }
    }
}
