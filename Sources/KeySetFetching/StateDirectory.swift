import Files
import FoundationEssentials
import NIOCore
import NIOPosix
import SystemPackage

/// Directory of this process for its state. Files are read only if no other user can have written them, and are written
/// completely or not at all.
///
/// All calls run on threads for file access. Because no other user may write to the directory, a check of a file by
/// name is still valid when the file is then opened by this name.
public struct StateDirectory: Sendable {
    public let path: String

    /// Refers to a directory by its path. Does not access the directory yet.
    public init(path: String) {
        self.path = path
    }

    private var files: NonBlockingFileIO { NonBlockingFileIO(threadPool: .singleton) }

    /// Checks whether the directory exists. Throws if other users could have written to it.
    public func exists() async throws(StateFileFailure) -> Bool {
        // The last component of the path may be a symbolic link: service managers make `/var/lib/NAME` a link. A user
        // who can replace it could change everything here anyway.
        let target = try await NIOThreadPool.singleton.runOnState {
            URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        }
        guard let found = try await look(target) else { return false }
        guard found.st_mode & S_IFMT == S_IFDIR else { throw .notDirectory }
        try Self.checkOwner(found)
        return true
    }

    /// Creates the directory if there is none. Only this user can access it.
    public func create() async throws(StateFileFailure) {
        if try await exists() { return }
        do {
            try await files.createDirectory(path: path, mode: 0o700)
        } catch let error as IOError where error.errnoCode == EEXIST {
            // Another key set created it at the same time.
        } catch {
            throw .failed(PlainReason.of(error))
        }
        guard try await exists() else { throw .failed("it could not be created") }
    }

    /// Reads a file. Nil if there is no file of this name.
    public func read(_ name: String, limit: Int) async throws(StateFileFailure) -> [UInt8]? {
        guard let found = try await look("\(path)/\(name)") else { return nil }
        guard found.st_mode & S_IFMT != S_IFLNK else { throw .symbolicLink }
        guard found.st_mode & S_IFMT == S_IFREG else { throw .notRegularFile }
        try Self.checkOwner(found)
        guard found.st_size <= limit else { throw .tooLarge }
        return try await NIOThreadPool.singleton.runOnState { try Self.readNow("\(path)/\(name)", limit: limit) }
    }

    /// Writes a file, and replaces an older one of the same name atomically. Readers, and a restart after a crash, find
    /// the old or the new file, always complete.
    public func write(_ bytes: [UInt8], to name: String) async throws(StateFileFailure) {
        // One of sixteen temporary names, so that crashes leave only a few files behind. With a single name, two
        // processes would often use it at the same time.
        let temporary = "\(path)/\(name).\(Int.random(in: 0..<16)).new"
        do {
            try await NIOThreadPool.singleton.runOnState { try Self.writeNow(bytes, to: temporary) }
            try await files.rename(path: temporary, newName: "\(path)/\(name)")
        } catch {
            try? await files.unlink(path: temporary)
            throw error as? StateFileFailure ?? .failed(PlainReason.of(error))
        }
    }
}

extension StateDirectory {
    /// Flushes the directory's file names to disk, so that they survive a power failure.
    public func synchronize() async throws(StateFileFailure) {
        try await NIOThreadPool.singleton.runOnState {
            try OpenFile(path, .readOnly, .directory).synchronize()
        }
    }
}

// MARK: Steps

extension StateDirectory {
    /// Status of a file, without following symbolic links. Nil if there is no file of this name.
    private func look(_ path: String) async throws(StateFileFailure) -> stat? {
        do {
            return try await files.lstat(path: path)
        } catch let error as IOError where error.errnoCode == ENOENT {
            return nil
        } catch let error as IOError where error.errnoCode == ENOTDIR {
            throw .notDirectory
        } catch {
            throw .failed(PlainReason.of(error))
        }
    }

    private static func checkOwner(_ found: stat) throws(StateFileFailure) {
        guard found.st_uid == geteuid() else { throw .ownedByOther(found.st_uid) }
        guard found.st_mode & (S_IWGRP | S_IWOTH) == 0 else { throw .writableByOthers }
    }

    private static func readNow(_ path: String, limit: Int) throws -> [UInt8] {
        guard let bytes = try OpenFile(path, .readOnly, [.noFollow, .nonBlocking]).readToEnd(limit: limit) else {
            throw StateFileFailure.tooLarge
        }
        return bytes
    }

    private static func writeNow(_ bytes: [UInt8], to path: String) throws {
        // A file that a crash left behind under this name would prevent the creation.
        try? FileManager.default.removeItem(atPath: path)
        let file = try OpenFile(path, .writeOnly, [.create, .exclusiveCreate, .noFollow])
        try file.write(bytes)
        // Flushed before the file is renamed: the final name must never lead to content that a power failure can still
        // destroy.
        try file.synchronize()
    }
}
