import ConfigurationFile
import KeySetFetching
import KeySets
import Logging
import Logs
import ProxySettings
import ReverseProxy
import TokenVerification
import TransportSecurity

/// Reloads the certificates of listeners and upstreams when their files change.
///
/// If the new files are invalid, the present certificates stay in use.
actor CertificateWatch {
    private struct Look: Sendable {
        let party: SecuredParty
        /// The state of the files before the last successful read.
        var taken: [WatchedFile.Stamp?]
        /// State of the files at the last failed read. Nil if there was none since the last success.
        var refused: [WatchedFile.Stamp?]?
        var isReported = false
    }

    /// All configured listeners, in the order of the file. They never change during the life of the process.
    nonisolated let listeners: [ServedListener]
    private let logger: Logger
    private var looks: [Look] = []

    private static let interval: Duration = .seconds(1)

    init(_ configured: [ConfiguredListener], logger: Logger) async throws(TLSMaterialFailure) {
        var listeners: [ServedListener] = []
        for listener in configured { listeners.append(try await .read(listener)) }
        self.listeners = listeners
        self.logger = logger
    }

    /// Certificates that TLS listeners use now.
    nonisolated var identities: [TLSIdentity] { listeners.flatMap(\.identities) }

    /// Puts the certificates of a new configuration in use, and watches their files from now on.
    func take(_ loaded: [LoadedParty]) {
        for party in loaded { party.put() }
        looks = loaded.filter { !$0.stamps.isEmpty }.map { Look(party: $0.party, taken: $0.stamps) }
    }

    /// Checks the files for changes until the task is cancelled.
    func run() async {
        while true {
            do { try await Task.sleep(for: Self.interval) } catch { return }
            for look in looks { await check(look) }
        }
    }

    private func check(_ look: Look) async {
        var look = look
        let (before, stamps) = (look.taken, await LoadedParty.stamps(of: look.party.files))
        guard stamps != before else { return }
        do {
            let loaded = try await look.party.loaded()
            // A reload may have happened meanwhile. It has read the files as recently, and no longer uses certificates
            // that it dropped.
            guard looks.contains(where: { $0.party.id == look.party.id && $0.taken == before }) else { return }
            loaded.put()
            look = Look(party: look.party, taken: stamps)
            logger.notice("Certificates replaced", [.files: .list(look.party.files)])
            warnOfTimes()
        } catch {
            // A failure is logged only if the next check finds the same files: while somebody replaces a certificate
            // and then its key, the two do not match for a moment.
            if look.refused != stamps {
                look.refused = stamps
                look.isReported = false
            } else if !look.isReported {
                look.isReported = true
                logger.error("Certificates not reloaded; the present ones stay in use", [.cause: "\(error)"])
            }
        }
        if let index = looks.firstIndex(where: { $0.party.id == look.party.id }) { looks[index] = look }
    }

    /// Warns of replaced certificates that are expired, expire soon or are not valid yet. For certificates that are
    /// read with a configuration, its reader warns.
    private nonisolated func warnOfTimes() {
        for identity in identities {
            let facts: [LogMember: LogValue] = [.names: .list(identity.names)]
            switch identity.period.state(at: Moment.now.date.seconds) {
            case .valid: break
            case .endsSoon: logger.warning("A certificate expires soon", facts)
            case .expired: logger.warning("A certificate has expired", facts)
            case .notYetValid: logger.warning("A certificate is not valid yet", facts)
            }
        }
    }
}
