import NetworkNames
import ProxySettings

/// One listening socket, and the protocol and TLS settings it uses.
public struct Listener: Sendable {
    public let socket: ListeningSocket
    public let service: ListenerService
    /// Peers whose connections begin with a PROXY protocol header, and who alone are served; nil: no connection begins
    /// with one.
    public let proxies: [AddressRange]?

    /// The door that it is; nil: clients send requests there.
    public let door: Door?

    public init(
        _ socket: ListeningSocket, _ service: ListenerService = .plain(.http1), proxies: [AddressRange]? = nil,
        door: Door? = nil
    ) {
        self.door = door
        self.socket = socket
        self.service = service
        self.proxies = proxies
    }
}
