import ProxySettings
import TransportSecurity

/// Protocol of a listener.
public enum ListenerService: Sendable {
    /// HTTP without TLS.
    case plain(ListenerProtocols)
    /// HTTP over TLS.
    case secure(TLSTermination)
    /// Redirects every request to `https` (RFC 9110 §15.4.9).
    case redirect(HTTPSRedirect)
}
