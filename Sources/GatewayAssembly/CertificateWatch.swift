import ConfigurationFile
import KeySetFetching
import Logging
import ReverseProxy
import TokenVerification
import TransportSecurity

/// Looks after the certificates of listeners and upstreams: their files are read again when they change.
///
/// A change that cannot be used leaves what is used as it was.
actor CertificateWatch {
    private struct Look {
        let party: SecuredParty
        /// What the files were like when they were last read with success.
        var taken: [WatchedFile.Stamp?]
        /// What they were like when they last could not be used, and whether that was said.
        var refused: [WatchedFile.Stamp?]?
        var isReported = false
    }

    /// Of the listeners, in the order of the file; the same for the life of the process.
    nonisolated let terminations: [TLSTermination]
    private let listeners: [SecuredParty]
    private let now: @Sendable () -> NumericDate
    private let logger: Logger
    private var looks: [Look] = []

    private static let interval: Duration = .seconds(1)
    /// How long before its end a certificate is worth a warning, in seconds.
    private static let notice = 14.0 * 86_400

    init(_ configured: [ConfiguredListener], now: @escaping @Sendable () -> NumericDate, logger: Logger) async throws(TLSMaterialFailure) {
        var terminations: [TLSTermination] = []
        var listeners: [SecuredParty] = []
        for case .secure(let configured) in configured.map(\.service) {
            let termination = TLSTermination(try await TLSMaterial.security(of: configured))
            terminations.append(termination)
            listeners.append(.listener(configured, termination))
        }
        self.terminations = terminations
        self.listeners = listeners
        self.now = now
        self.logger = logger
        await watch([:])
        warnOfEnds()
    }

    /// Watches these upstreams from now on, beside the listeners.
    func watch(_ upstreams: [TargetSecurity: UpstreamTLS]) async {
        var looks: [Look] = []
        for party in listeners + upstreams.map({ SecuredParty.upstream($0.key, $0.value) }) where !party.files.isEmpty {
            looks.append(Look(party: party, taken: await Self.stamps(party)))
        }
        self.looks = looks
    }

    /// Looks for changes until the task is cancelled.
    func run() async {
        while true {
            do { try await Task.sleep(for: Self.interval) } catch { return }
            for look in looks { await check(look) }
        }
    }

    /// Reads the listeners' files for a reload that has not happened yet; what comes back puts them to use.
    func loadedListeners() async throws(TLSMaterialFailure) -> [@Sendable () -> Void] {
        var loaded: [@Sendable () -> Void] = []
        for listener in listeners { loaded.append(try await listener.loaded()) }
        return loaded
    }

    func take(_ loaded: [@Sendable () -> Void]) {
        for put in loaded { put() }
        warnOfEnds()
    }

    private func check(_ look: Look) async {
        var look = look
        // Before reading: a change in between makes the next look find other stamps.
        let stamps = await Self.stamps(look.party)
        guard stamps != look.taken else { return }
        do {
            try await look.party.loaded()()
            look = Look(party: look.party, taken: stamps)
            logger.notice("certificates replaced", metadata: ["files": "\(look.party.files.joined(separator: " "))"])
            warnOfEnds()
        } catch {
            // Whoever replaces a certificate and then its key is between the two for a moment.
            if look.refused != stamps {
                look.refused = stamps
                look.isReported = false
            } else if !look.isReported {
                look.isReported = true
                logger.error("certificates not replaced, the ones in use stay", metadata: ["cause": "\(error)"])
            }
        }
        // The list may be another one by now.
        if let index = looks.firstIndex(where: { $0.party.files == look.party.files }) { looks[index] = look }
    }

    private nonisolated func warnOfEnds() {
        for identity in terminations.flatMap(\.security.identities) where Double(identity.notAfter) < now().seconds + Self.notice {
            let what = Double(identity.notAfter) < now().seconds ? "a certificate has expired" : "a certificate expires soon"
            logger.warning("\(what)", metadata: ["names": "\(identity.names.joined(separator: " "))"])
        }
    }

    private static func stamps(_ party: SecuredParty) async -> [WatchedFile.Stamp?] {
        var stamps: [WatchedFile.Stamp?] = []
        for path in party.files { stamps.append(await WatchedFile(path: path).stamp()) }
        return stamps
    }
}
