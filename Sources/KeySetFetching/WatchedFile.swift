import Files
import NIOPosix
import SystemPackage

/// A regular file that is read whole, and looked at for changes in between.
public struct WatchedFile: Sendable {
    /// What changes when a file is written or replaced; nil in place of one: the file could not be looked at.
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

    /// What the file looks like now; symbolic links are followed, so that one set to another file is a change.
    public func stamp() async -> Stamp? {
        try? await NIOThreadPool.singleton.runIfActive { try look() }
    }

    /// The file's bytes, if there are no more of them than the limit.
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
        // A FIFO or a device could keep the reader for ever.
        guard stamp.isRegularFile else { throw Failure.notRegularFile }
        return stamp
    }

    private func readNow(limit: Int) throws -> [UInt8] {
        _ = try look()
        guard let file = try? OpenFile(path, .readOnly) else { throw Failure.unreadable("it may not be read") }
        guard let bytes = try file.readToEnd(limit: limit) else { throw Failure.tooLarge }
        return bytes
    }
}
