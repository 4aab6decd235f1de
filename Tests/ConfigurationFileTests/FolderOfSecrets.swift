import ConfigurationFile
import Foundation
import TestSupport

/// Folder with secret files. A checkout does not keep their permissions, so they are created here.
struct FolderOfSecrets {
    private let temporary: TemporaryFolder

    init(_ files: [(name: String, text: String)]) throws {
        temporary = try TemporaryFolder()
        for (name, text) in files {
            let file = temporary.url.appending(path: name)
            try Data(text.utf8).write(to: file)
            let permissions = name == "open" ? 0o604 : 0o600
            try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: file.path)
        }
    }

    func load(_ text: String) -> LoadResult<Configuration> {
        Configuration.load(text: text, directory: temporary.url.path, environment: [:])
    }
}
