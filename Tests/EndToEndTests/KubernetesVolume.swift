import Foundation
import TestSupport
import Testing

/// A volume as the kubelet mounts a ConfigMap or Secrets. Each file is a link into `..data`, which is a link to a
/// directory and is replaced with each change.
struct KubernetesVolume {
    private let temporary: TemporaryFolder
    private var directory: URL { temporary.url }
    private let files = FileManager.default

    /// - Parameter contents: texts by file name.
    init(_ contents: [String: String]) throws {
        temporary = try TemporaryFolder()
        try replace(with: contents)
        for name in contents.keys {
            try files.createSymbolicLink(atPath: path(name), withDestinationPath: "..data/\(name)")
        }
    }

    func path(_ name: String) -> String { temporary.path(name) }

    func replace(with contents: [String: String]) throws {
        let data = path("..data")
        let earlier = try? files.destinationOfSymbolicLink(atPath: data)
        let name = "..\(UUID().uuidString)"
        let payload = directory.appendingPathComponent(name)
        try files.createDirectory(at: payload, withIntermediateDirectories: false)
        for (file, text) in contents { try Data(text.utf8).write(to: payload.appendingPathComponent(file)) }
        let link = path("..data_tmp")
        try files.createSymbolicLink(atPath: link, withDestinationPath: name)
        try #require(unsafe rename(link, data) == 0)
        if let earlier { try files.removeItem(at: directory.appendingPathComponent(earlier)) }
    }
}
