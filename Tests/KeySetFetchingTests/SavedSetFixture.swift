import Foundation
import JOSE
import KeySetFetching
import KeySets
import Logging
import TestSupport
import TokenVerification

/// One key set across restarts: a server, a state directory, and the log.
struct SavedSetFixture {
    /// Folder of the directory, which does not exist at first.
    private let folder: TemporaryFolder
    let directory: KeySetDirectory
    let log = RecordingLog()
    var configuration: KeySetConfiguration

    init(_ server: KeyServer, _ change: (inout KeySetConfiguration) -> Void = { _ in }) throws {
        folder = try TemporaryFolder()
        directory = KeySetDirectory(path: folder.path("state"))
        configuration = SampleDocuments.configuration(.jwkSetURL(server.url()))
        change(&configuration)
    }

    var file: String { "\(directory.path)/\(configuration.identity.fileName ?? "")" }

    /// A key set as in a newly started process.
    func keySet() -> RemoteKeySet {
        RemoteKeySet(configuration, directory: directory, proxies: .none, logger: log.logger)
    }

    /// Saves a key set as an earlier process would have left it this many seconds ago.
    func leave(_ keyIDs: String..., secondsAgo: Double, kept: [(keyID: String, secondsAgo: Double)] = []) throws {
        let saved = SavedKeySet(
            document: try SampleDocuments.keys(keyIDs),
            fetchedAt: Self.past(secondsAgo),
            kept: try kept.flatMap { kept in
                try SampleDocuments.keys([kept.keyID]).keys.map { KeptKey($0, lastSeen: Self.past(kept.secondsAgo)) }
            },
        )
        try leave(saved.text(for: configuration) ?? [])
    }

    func leave(_ bytes: [UInt8]) throws {
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        try FileManager.default.createDirectory(
            atPath: directory.path, withIntermediateDirectories: true, attributes: attributes)
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    }

    static func past(_ seconds: Double) -> NumericDate { NumericDate(seconds: Date().timeIntervalSince1970 - seconds) }

    func mode(of path: String) -> Int? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.posixPermissions] as? Int
    }
}
