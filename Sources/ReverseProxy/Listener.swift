import NetworkNames
import ProxySettings

/// One listening socket, with the protocol and TLS settings it uses.
public struct Listener: Sendable {
    public let socket: ListeningSocket
    public let service: ListenerService
    /// Peers that must send a PROXY protocol header; no other peer is served. Nil if the listener expects no header.
    public let proxies: [AddressRange]?

    /// The forward auth listener (door) that it is. Nil if clients send requests there.
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
