import ConfigurationFile
import KeySetFetching
import ReverseProxy
import TransportSecurity

/// A listener of the file together with what it is served with: one for TLS has its certificates.
struct ServedListener: Sendable {
    let configured: ConfiguredListener
    let service: ListenerService
    /// State of its files before they were read at the start.
    var stamps: [WatchedFile.Stamp?] = []

    /// Certificates that were read for it at the start. Nil if it is not for TLS.
    var loaded: LoadedParty? {
        guard case .secure(let files) = configured.service, case .secure(let termination) = service else { return nil }
        return LoadedParty(party: .listener(files, termination), stamps: stamps, put: {})
    }

    /// The certificates in use.
    var identities: [TLSIdentity] {
        if case .secure(let termination) = service { termination.security.identities } else { [] }
    }

    static func read(_ listener: ConfiguredListener) async throws(TLSMaterialFailure) -> ServedListener {
        switch listener.service {
        case .plain(let protocols): return ServedListener(configured: listener, service: .plain(protocols))
        case .redirect(let redirect): return ServedListener(configured: listener, service: .redirect(redirect))
        case .secure(let files):
            let stamps = await LoadedParty.stamps(of: files.files)
            let termination = TLSTermination(try await TLSMaterial.security(of: files))
            return ServedListener(configured: listener, service: .secure(termination), stamps: stamps)
        }
    }
}
