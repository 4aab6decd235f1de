import ProxySettings
import TransportSecurity

/// The protocol of a listener.
public enum ListenerService: Sendable {
    /// HTTP without TLS.
    case plain(ListenerProtocols)
    /// HTTP over TLS.
    case secure(TLSTermination)
    /// Every request is sent to `https` (RFC 9110 §15.4.9), whatever it asks for.
    case redirect(HTTPSRedirect)
}
