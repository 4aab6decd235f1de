import ConfigurationFile
import ReverseProxy
import TransportSecurity

/// A listener of the file together with what it is served with: one for TLS has its certificates.
struct ServedListener: Sendable {
    let configured: ConfiguredListener
    let service: ListenerService

    /// nil: it is not for TLS.
    var termination: TLSTermination? {
        if case .secure(let termination) = service { termination } else { nil }
    }
}
