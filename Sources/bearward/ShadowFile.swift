import ConfigurationFile
import Dispatch
import FoundationEssentials
import TransportSecurity

/// The file of `--shadow`.
struct ShadowFile: Sendable {
    let path: String

    func load() -> LoadResult<Configuration> {
        Configuration.load(path: path, environment: ProcessInfo.processInfo.environment, checkIdentity: .library)
    }

    /// Reads it on a thread of its own: a disk that does not answer keeps nobody else waiting.
    func loadAside() async -> LoadResult<Configuration> {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "bearward.shadow-file").async { continuation.resume(returning: load()) }
        }
    }
}
