import Files
import NIOPosix
import SystemPackage

/// Regular file that is read as a whole, and checked for changes in between.
public struct WatchedFile: Sendable {
    /// Properties of a file that change when it is written or replaced. Nil if the file could not be examined.
    public typealias Stamp = FileStamp

    public enum Failure: Error, Sendable, Hashable {
        case missing
        case notRegularFile
        case tooLarge
        case unreadable(String)

        public var reason: String {
            switch self {
            case .missing: "there is no such file"
            case .notRegularFile: "it is not a regular file"
            case .tooLarge: "it is too large"
            case .unreadable(let reason): reason
            }
        }
    }

    let path: String

    public init(path: String) {
        self.path = path
    }

    /// The file's current stamp. Follows symbolic links, so that a link to another file counts as a change. Nil if the
    /// path leads to no regular file, or the file cannot be examined.
    public func stamp() async -> Stamp? {
        try? await NIOThreadPool.singleton.runIfActive { try look() }
    }

    /// Reads the whole file. Throws if it is larger than the limit.
    public func read(limit: Int) async throws(Failure) -> [UInt8] {
        do {
            return try await NIOThreadPool.singleton.runIfActive { try readNow(limit: limit) }
        } catch let failure as Failure {
            throw failure
        } catch {
            throw .unreadable(PlainReason.of(error))
        }
    }

    private func look() throws -> Stamp {
        guard let stamp = FileStamp(path) else { throw Failure.missing }
        // Reading a FIFO or a device could block without end.
        guard stamp.isRegularFile else { throw Failure.notRegularFile }
        return stamp
    }

    private func readNow(limit: Int) throws -> [UInt8] {
        _ = try look()
        guard let bytes = try OpenFile(path, .readOnly).readToEnd(limit: limit) else { throw Failure.tooLarge }
        return bytes
    }
}
