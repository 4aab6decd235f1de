import ConfigurationFile
import Dispatch
import FoundationEssentials
import TransportSecurity

/// The configuration file of `--shadow`.
struct ShadowFile: Sendable {
    let path: String

    func load() -> LoadResult<Configuration> {
        Configuration.load(path: path, environment: ProcessInfo.processInfo.environment, checkIdentity: .library)
    }

    /// Loads the file on a separate thread, so that a slow disk delays nothing else.
    func loadAside() async -> LoadResult<Configuration> {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "bearward.shadow-file").async { continuation.resume(returning: load()) }
        }
    }
}
