import ProxySettings
import TransportSecurity

/// One listening socket, and the protocol and TLS settings it uses.
public struct Listener: Sendable {
    public let socket: ListeningSocket
    public let service: ListenerService

    public init(_ socket: ListeningSocket, _ service: ListenerService = .plain(.http1)) {
        self.socket = socket
        self.service = service
    }
}

/// The protocol of a listener.
public enum ListenerService: Sendable {
    /// HTTP without TLS.
    case plain(ListenerProtocols)
    /// HTTP over TLS.
    case secure(TLSTermination)
    /// Every request is sent to `https` (RFC 9110 §15.4.9), whatever it asks for.
    case redirect(HTTPSRedirect)
}
