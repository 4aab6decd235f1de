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
/// After a change that cannot be used, the present certificates stay in use.
actor CertificateWatch {
    private struct Look: Sendable {
        let party: SecuredParty
        /// The state of the files before the last successful read.
        var taken: [WatchedFile.Stamp?]
        /// Their state at the last failure, and whether it was logged.
        var refused: [WatchedFile.Stamp?]?
        var isReported = false
    }

    /// In the order of the file; the same for the life of the process.
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

    /// The certificates in use with the TLS listeners.
    nonisolated var identities: [TLSIdentity] { listeners.flatMap(\.identities) }

    /// Puts to use what was read for a configuration, and watches its files from now on.
    func take(_ loaded: [LoadedParty]) {
        for party in loaded { party.put() }
        looks = loaded.filter { !$0.stamps.isEmpty }.map { Look(party: $0.party, taken: $0.stamps) }
    }

    /// Looks for changes until the task is cancelled.
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
            // A reload may have happened meanwhile; what it read is as recent, and what it dropped is not in use.
            guard looks.contains(where: { $0.party.id == look.party.id && $0.taken == before }) else { return }
            loaded.put()
            look = Look(party: look.party, taken: stamps)
            logger.notice("Certificates replaced", [.files: .list(look.party.files)])
            warnOfTimes()
        } catch {
            // Between replacing a certificate and replacing its key, the two do not match for a moment.
            if look.refused != stamps {
                look.refused = stamps
                look.isReported = false
            } else if !look.isReported {
                look.isReported = true
                logger.error("Certificates not replaced; the ones in use stay", [.cause: "\(error)"])
            }
        }
        if let index = looks.firstIndex(where: { $0.party.id == look.party.id }) { looks[index] = look }
    }

    /// Warns of replaced certificates; of those that a file names, reading the file does.
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
