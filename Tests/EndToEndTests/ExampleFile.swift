import DevelopmentIssuer
import Foundation
import ProviderFixtures

/// A file of `deploy/examples`, with only those changes that let it run here.
struct ExampleFile {
    let provider: ProviderName
    /// The file as operators get it.
    let text: String

    private static let directory = Interop.packageDirectory.appendingPathComponent("deploy/examples")

    /// The names of all example files, without `.yaml` and without policy test files.
    static func names() throws -> Set<String> {
        let files = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
        return Set(files.filter { $0.pathExtension == "yaml" }.map { $0.deletingPathExtension().lastPathComponent })
            .filter { !$0.hasSuffix(".tests") }
    }

    init(_ provider: ProviderName) throws {
        self.provider = provider
        text = try String(
            contentsOf: Self.directory.appendingPathComponent("\(provider.rawValue).yaml"), encoding: .utf8)
    }

    /// The file with free addresses, this upstream, and the server's keys in place of the provider's.
    func runnable(keysOf server: ProviderServer, upstream: String) throws -> String {
        try runnable(keysAt: server.url, upstream: upstream)
    }

    /// The file with the base URL of a development issuer in another process.
    func runnable(keysAt url: String, upstream: String) throws -> String {
        let changes = [
            ("listen: 0.0.0.0:8080", "listen: 127.0.0.1:0"), ("admin: 127.0.0.1:9901", "admin: 127.0.0.1:0"),
            ("upstream: http://127.0.0.1:9000", "upstream: \(upstream)"),
            (
                "    profile: \(provider.rawValue)\n",
                "    profile: \(provider.rawValue)\n    jwks_uri: \(keys(at: url))\n"
            ),
        ]
        return try changes.reduce(text) { text, change in try Self.replacing(change.0, with: change.1, in: text) }
    }

    /// One URL, or a mapping if the provider has several key sets.
    private func keys(at url: String) -> String {
        let samples = ProviderSamples.of(provider)
        let quoted = { (name: String) in
            "\"\(samples.keySets.first { keySet in keySet.name == name }.map { keySet in url + keySet.path } ?? "")\""
        }
        return switch samples.setups.first?.keySets {
        case .one(let name): quoted(name)
        case .named(let names): "{" + names.map { "\($0): \(quoted($0))" }.joined(separator: ", ") + "}"
        case nil: ""
        }
    }

    /// Replaces a text that must occur exactly once. Otherwise the replacement would change nothing, or too much.
    private static func replacing(_ old: String, with new: String, in text: String) throws -> String {
        let parts = text.components(separatedBy: old)
        guard parts.count == 2 else { throw NotOnce(text: old) }
        return parts.joined(separator: new)
    }

    struct NotOnce: Error {
        let text: String
    }
}
