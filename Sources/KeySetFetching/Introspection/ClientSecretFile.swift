import Logging
import Logs
import NIOPosix
import Synchronization
import SystemPackage

/// File with a client's secret. It is checked before each use, but at most once a second, and read again if it has
/// changed.
final class ClientSecretFile: Sendable {
    private struct Reading: Sendable {
        var lookedAt: ContinuousClock.Instant
        var stamp: WatchedFile.Stamp?
        var result: Result<ClientSecret, IntrospectionFailure>
    }

    /// Largest file, in bytes.
    static let limit = 4 * 1024
    /// Shortest time between two checks of the file, even after a failure. Untrusted clients must not decide how often
    /// a file is read.
    static let lookInterval = Duration.seconds(1)

    private let path: String
    private let logger: Logger
    private let last = Mutex<Reading?>(nil)

    init(path: String, logger: Logger) {
        self.path = path
        self.logger = logger
    }

    /// The secret in the file, as of now or less than a second ago.
    func secret(at now: ContinuousClock.Instant) async throws(IntrospectionFailure) -> ClientSecret {
        let known = last.withLock { $0 }
        if let known, now < known.lookedAt.advanced(by: Self.lookInterval) { return try known.result.get() }
        // The stamp is taken before the content is read, so a change in between is noticed at the next check.
        let stamp = await WatchedFile(path: path).stamp()
        if let known, let stamp, known.stamp == stamp, case .success = known.result {
            last.withLock { $0?.lookedAt = now }
            return try known.result.get()
        }
        let result = await read()
        last.withLock { $0 = Reading(lookedAt: now, stamp: stamp, result: result) }
        if case .success = result { await warnIfExposed() }
        return try result.get()
    }

    private func read() async -> Result<ClientSecret, IntrospectionFailure> {
        do throws(WatchedFile.Failure) {
            let content = try await WatchedFile(path: path).read(limit: Self.limit)
            return Result { () throws(ClientSecret.Unusable) in try ClientSecret(file: content) }
                .mapError { .secretFileUnusable(path: path, reason: $0.reason) }
        } catch {
            return .failure(.secretFileUnusable(path: path, reason: error.reason))
        }
    }

    private func warnIfExposed() async {
        let path = path
        let mode = try? await NIOThreadPool.singleton.runIfActive {
            try Stat(FilePath(path)).permissions
        }
        guard let mode, mode.contains(.otherRead) else { return }
        logger.warning(
            "Client secret file can be read by every user of this machine; chmod o-r it", [.file: .text(path)])
    }
}
