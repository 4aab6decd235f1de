import Files
import FoundationEssentials
import NIOCore
import NIOPosix
import SystemPackage

/// A directory of this process's own, whose files are read only if no other user can have written them, and written
/// whole or not at all.
///
/// All of its calls run on the threads for files. Because no other user may write to the directory, what is seen of a
/// file by name holds for the file that is opened by that name next.
public struct StateDirectory: Sendable {
    public let path: String

    /// Looks at nothing yet.
    public init(path: String) {
        self.path = path
    }

    private var files: NonBlockingFileIO { NonBlockingFileIO(threadPool: .singleton) }

    /// Looks whether the directory is there and can be believed; false: there is none.
    public func exists() async throws(StateFileFailure) -> Bool {
        // The last step of the path may be a link: service managers make `/var/lib/NAME` one, and who may do that may
        // do anything here.
        let target = try await NIOThreadPool.singleton.runOnState {
            URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        }
        guard let found = try await look(target) else { return false }
        guard found.st_mode & S_IFMT == S_IFDIR else { throw .notDirectory }
        try Self.checkOwner(found)
        return true
    }

    /// Makes the directory if there is none, for this process alone.
    public func create() async throws(StateFileFailure) {
        if try await exists() { return }
        do {
            try await files.createDirectory(path: path, mode: 0o700)
        } catch let error as IOError where error.errnoCode == EEXIST {
            // Another key set was faster.
        } catch {
            throw .failed(PlainReason.of(error))
        }
        guard try await exists() else { throw .failed("it could not be created") }
    }

    /// A file's bytes; nil if there is no such file.
    public func read(_ name: String, limit: Int) async throws(StateFileFailure) -> [UInt8]? {
        guard let found = try await look("\(path)/\(name)") else { return nil }
        guard found.st_mode & S_IFMT != S_IFLNK else { throw .symbolicLink }
        guard found.st_mode & S_IFMT == S_IFREG else { throw .notRegularFile }
        try Self.checkOwner(found)
        guard found.st_size <= limit else { throw .tooLarge }
        return try await NIOThreadPool.singleton.runOnState { try Self.readNow("\(path)/\(name)", limit: limit) }
    }

    /// Puts a file in place of the one of that name: readers, and a restart after a crash, find the one or the other,
    /// whole.
    public func write(_ bytes: [UInt8], to name: String) async throws(StateFileFailure) {
        // One of a few names, so that what crashes leave behind stays little; unlike one name for all, two processes
        // seldom meet in it.
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
    /// Has the system put the names of files on the disk, so that a loss of power takes none of them away.
    public func synchronize() async throws(StateFileFailure) {
        try await NIOThreadPool.singleton.runOnState {
            try OpenFile(path, .readOnly, .directory).synchronize()
        }
    }
}

// MARK: Steps

extension StateDirectory {
    /// The file's status. Nil if there is no file of that name.
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
        // What a crash left behind under this name would be in the way.
        try? FileManager.default.removeItem(atPath: path)
        let file = try OpenFile(path, .writeOnly, [.create, .exclusiveCreate, .noFollow])
        try file.write(bytes)
        // Before it gets its name: a name must never lead to bytes that a loss of power can still take away.
        try file.synchronize()
    }
}
