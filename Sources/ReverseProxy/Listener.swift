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

/// The generations of HTTP that a listener speaks.
public enum ListenerProtocols: Sendable, Hashable {
    case http1
    case http2
    case both
}

/// Where a request in the clear is sent: the same host and target, by https.
public struct HTTPSRedirect: Sendable, Hashable {
    /// Of the https service; not named in the location if it is 443.
    public let port: Int

    public init(port: Int = 443) {
        self.port = port
    }
}
