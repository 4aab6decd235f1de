import ConfigurationFile
import KeySetFetching
import Logging
import OperationalLog
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

    /// A listener's certificates as they were read for a reload that has not happened yet.
    struct LoadedListener: Sendable {
        fileprivate let id: ObjectIdentifier
        fileprivate let stamps: [WatchedFile.Stamp?]
        fileprivate let put: @Sendable () -> Void
    }

    /// In the order of the file; the same for the life of the process.
    nonisolated let listeners: [ServedListener]
    private let secured: [SecuredParty]
    private let now: @Sendable () -> NumericDate
    private let logger: Logger
    private var looks: [Look]

    private static let interval: Duration = .seconds(1)

    init(_ configured: [ConfiguredListener], now: @escaping @Sendable () -> NumericDate, logger: Logger)
        async throws(TLSMaterialFailure)
    {
        var listeners: [ServedListener] = []
        var looks: [Look] = []
        for listener in configured {
            switch listener.service {
            case .plain(let protocols):
                listeners.append(ServedListener(configured: listener, service: .plain(protocols)))
            case .redirect(let redirect):
                listeners.append(ServedListener(configured: listener, service: .redirect(redirect)))
            case .secure(let files):
                let stamps = await SecuredParty.stamps(of: files.files)
                let termination = TLSTermination(try await TLSMaterial.security(of: files))
                listeners.append(ServedListener(configured: listener, service: .secure(termination)))
                looks.append(Look(party: .listener(files, termination), taken: stamps))
            }
        }
        self.listeners = listeners
        secured = looks.map(\.party)
        self.looks = looks
        self.now = now
        self.logger = logger
    }

    /// The certificates in use with the TLS listeners.
    nonisolated var identities: [TLSIdentity] { listeners.compactMap(\.termination).flatMap(\.security.identities) }

    /// Watches these upstreams from now on, beside the listeners.
    func watch(_ upstreams: [SecuredUpstream]) {
        let kept = looks.filter { look in secured.contains { $0.id == look.party.id } }
        looks = kept + upstreams.filter { !$0.stamps.isEmpty }.map { Look(party: $0.party, taken: $0.stamps) }
    }

    /// Looks for changes until the task is cancelled.
    func run() async {
        while true {
            do { try await Task.sleep(for: Self.interval) } catch { return }
            for look in looks { await check(look) }
        }
    }

    /// Reads the listeners' files for a reload that has not happened yet.
    func loadedListeners() async throws(TLSMaterialFailure) -> [LoadedListener] {
        var loaded: [LoadedListener] = []
        for listener in secured {
            let stamps = await listener.stamps()
            loaded.append(LoadedListener(id: listener.id, stamps: stamps, put: try await listener.loaded()))
        }
        return loaded
    }

    /// Serves what was loaded. If the files changed since, the next check notices.
    func take(_ loaded: [LoadedListener]) {
        for listener in loaded {
            listener.put()
            guard let index = looks.firstIndex(where: { $0.party.id == listener.id }) else { continue }
            looks[index] = Look(party: looks[index].party, taken: listener.stamps)
        }
    }

    private func check(_ look: Look) async {
        var look = look
        let (before, stamps) = (look.taken, await look.party.stamps())
        guard stamps != before else { return }
        do {
            let put = try await look.party.loaded()
            // A reload may have happened meanwhile; what it read is as recent, and what it dropped is not in use.
            guard looks.contains(where: { $0.party.id == look.party.id && $0.taken == before }) else { return }
            put()
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
            switch identity.period.state(at: now().seconds) {
            case .valid: break
            case .endsSoon: logger.warning("A certificate expires soon", facts)
            case .expired: logger.warning("A certificate has expired", facts)
            case .notYetValid: logger.warning("A certificate is not valid yet", facts)
            }
        }
    }
}
