import ProxySettings
import TransportSecurity

/// One listening socket, and how clients are spoken with on it.
public struct Listener: Sendable {
    public let socket: ListeningSocket
    public let service: ListenerService

    public init(_ socket: ListeningSocket, _ service: ListenerService = .plain(.http1)) {
        self.socket = socket
        self.service = service
    }
}

/// How a listener speaks with its clients.
public enum ListenerService: Sendable {
    /// HTTP in the clear.
    case plain(ListenerProtocols)
    /// HTTP over TLS.
    case secure(TLSTermination)
    /// Every request is sent to `https` (RFC 9110 §15.4.9), whatever it asks for.
    case redirect(HTTPSRedirect)
}
