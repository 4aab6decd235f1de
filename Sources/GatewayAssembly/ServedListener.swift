import ConfigurationFile
import KeySetFetching
import ReverseProxy
import TransportSecurity

/// A configured listener with what it needs to serve: its protocols or redirect, and certificates for TLS.
struct ServedListener: Sendable {
    let configured: ConfiguredListener
    let service: ListenerService
    /// State of the certificate files before they were read at the start. Empty without TLS.
    var stamps: [WatchedFile.Stamp?] = []

    /// The listener with the certificates read at the start. Nil without TLS.
    var loaded: LoadedParty? {
        guard case .secure(let files) = configured.service, case .secure(let termination) = service else { return nil }
        return LoadedParty(party: .listener(files, termination), stamps: stamps, put: {})
    }

    /// Certificates in use now. Empty without TLS.
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
