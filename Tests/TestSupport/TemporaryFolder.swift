import Foundation

/// A folder of a test's own, which goes with the last reference to it, however the test ends.
public final class TemporaryFolder: Sendable {
    public let url: URL

    /// - Parameter permissions: of the folder; nil for the usual ones.
    public init(permissions: Int? = nil) throws {
        url = URL.temporaryDirectory.appending(path: "bearward-\(UUID().uuidString)", directoryHint: .notDirectory)
        let attributes = permissions.map { [FileAttributeKey.posixPermissions: $0] }
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true, attributes: attributes)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Where a file of this name is, or would be.
    public func path(_ name: String) -> String { url.appending(path: name).path }

    /// Puts a file there in one step, in place of one of this name.
    @discardableResult
    public func write(_ text: String, to name: String) throws -> URL {
        let file = url.appending(path: name)
        try Data(text.utf8).write(to: file, options: .atomic)
        return file
    }
}
