import Foundation
import Synchronization

/// A temporary folder for a test. It is removed with the last reference to it, however the test ends, or at the end of
/// the process.
public final class TemporaryFolder: Sendable {
    public let url: URL

    /// Folders that exist. References left at the end of the process, such as in a connection's handler, do not keep
    /// them.
    private static let living = Mutex<Set<URL>>([])
    private static let endsWithProcess: Bool = atexit { TemporaryFolder.removeAll() } == 0

    struct NeverRemoved: Error {}

    /// - Parameter permissions: permissions of the folder. Nil for the default.
    public init(permissions: Int? = nil) throws {
        guard Self.endsWithProcess else { throw NeverRemoved() }
        let url = URL.temporaryDirectory.appending(path: "bearward-\(UUID().uuidString)", directoryHint: .notDirectory)
        self.url = url
        let attributes = permissions.map { [FileAttributeKey.posixPermissions: $0] }
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true, attributes: attributes)
        _ = Self.living.withLock { $0.insert(url) }
    }

    deinit {
        // A folder that a process still writes to is removed again at the end.
        guard (try? FileManager.default.removeItem(at: url)) != nil else { return }
        _ = Self.living.withLock { $0.remove(url) }
    }

    private static func removeAll() {
        for url in living.withLock({ $0 }) { try? FileManager.default.removeItem(at: url) }
    }

    /// Path of a file of this name, which may not exist.
    public func path(_ name: String) -> String { url.appending(path: name).path }

    /// Writes a file atomically, replacing one with this name.
    @discardableResult
    public func write(_ text: String, to name: String) throws -> URL {
        let file = url.appending(path: name)
        try Data(text.utf8).write(to: file, options: .atomic)
        return file
    }
}
