import ConfigurationFile
import Foundation

/// Files with secrets must have permissions, which a checkout does not keep: they are made here.
struct FolderOfSecrets {
    private let folder = URL.temporaryDirectory.appending(path: "bearward-\(UUID().uuidString)")

    init(_ files: [(name: String, text: String)]) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, text) in files {
            let file = folder.appending(path: name)
            try Data(text.utf8).write(to: file)
            let permissions = name == "open" ? 0o604 : 0o600
            try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: file.path)
        }
    }

    func load(_ text: String) -> LoadResult {
        Configuration.load(text: text, directory: folder.path, environment: [:])
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }
}
