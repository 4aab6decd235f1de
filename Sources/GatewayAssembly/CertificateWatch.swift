import ConfigurationFile
import JOSE
import KeySetFetching
import Logging
import ReverseProxy
import TokenVerification
import TransportSecurity

/// Looks after the certificates of the TLS listeners: their files are read again when they change.
///
/// A change that cannot be used leaves what is served as it was.
actor CertificateWatch {
    private struct Look {
        /// What the files were like when they were last read with success.
        var taken: [WatchedFile.Stamp?]
        /// What they were like when they last could not be used, and whether that was said.
        var refused: [WatchedFile.Stamp?]?
        var isReported = false
    }

    nonisolated let files: [TerminationFiles]
    private let now: @Sendable () -> NumericDate
    private let logger: Logger
    private var looks: [Look] = []

    private static let interval: Duration = .seconds(1)
    /// How long before its end a certificate is worth a warning.
    private static let notice = 14.0 * 86_400

    init(_ configured: [ConfiguredListener], now: @escaping @Sendable () -> NumericDate, logger: Logger) async throws(TerminationFailure) {
        var files: [TerminationFiles] = []
        for case .secure(let termination) in configured.map(\.service) { files.append(try await TerminationFiles(termination)) }
        self.files = files
        self.now = now
        self.logger = logger
        for listener in files {
            warnOfEnd(listener.termination.security)
            looks.append(Look(taken: await Self.stamps(listener)))
        }
    }

    /// Watches for changes until the task is cancelled.
    func run() async {
        guard !files.isEmpty else { return }
        while true {
            do { try await Task.sleep(for: Self.interval) } catch { return }
            for index in files.indices { await look(at: index) }
        }
    }

    /// Everything as it is on disk now, for a reload that has not happened yet.
    func loaded() async throws(TerminationFailure) -> [ListenerSecurity] {
        var loaded: [ListenerSecurity] = []
        for listener in files { loaded.append(try await listener.load()) }
        return loaded
    }

    /// Serves what was loaded.
    func take(_ loaded: [ListenerSecurity]) {
        for (listener, security) in zip(files, loaded) {
            listener.termination.replace(by: security)
            warnOfEnd(security)
        }
    }

    private func look(at index: Int) async {
        let listener = files[index]
        // Before reading: a change in between makes the next look find other stamps.
        let stamps = await Self.stamps(listener)
        guard stamps != looks[index].taken else { return }
        do {
            let security = try await listener.load()
            listener.termination.replace(by: security)
            looks[index] = Look(taken: stamps)
            logger.notice("certificates replaced", metadata: ["files": "\(listener.configured.files.joined(separator: " "))"])
            warnOfEnd(security)
        } catch {
            // Whoever replaces a certificate and then its key is between the two for a moment.
            if looks[index].refused != stamps {
                looks[index].refused = stamps
                looks[index].isReported = false
            } else if !looks[index].isReported {
                looks[index].isReported = true
                logger.error("certificates not replaced, the ones in use stay", metadata: ["cause": "\(error)"])
            }
        }
    }

    private nonisolated func warnOfEnd(_ security: ListenerSecurity) {
        for identity in security.identities where Double(identity.notAfter) < now().seconds + Self.notice {
            let what = Double(identity.notAfter) < now().seconds ? "a certificate has expired" : "a certificate expires soon"
            logger.warning("\(what)", metadata: ["names": "\(identity.names.joined(separator: " "))"])
        }
    }

    private static func stamps(_ listener: TerminationFiles) async -> [WatchedFile.Stamp?] {
        var stamps: [WatchedFile.Stamp?] = []
        for path in listener.configured.files { stamps.append(await WatchedFile(path: path).stamp()) }
        return stamps
    }
}
