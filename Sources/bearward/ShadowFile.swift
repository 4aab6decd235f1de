import ConfigurationFile
import Foundation
import TransportSecurity

/// The file of `--shadow`.
struct ShadowFile: Sendable {
    let path: String

    func load() -> LoadResult {
        Configuration.load(path: path, environment: ProcessInfo.processInfo.environment, checkIdentity: .library)
    }

    /// Reads it on a thread of its own: a disk that does not answer keeps nobody else waiting.
    func loadAside() async -> LoadResult {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: load()) }
        }
    }
}
