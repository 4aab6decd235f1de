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
}
