import NetworkNames
import ProxySettings

/// Listener for requests, or for forward auth: its address and its offer.
public struct ConfiguredListener: Sendable, Hashable {
    public let address: ListenAddress
    public let offer: Offer

    /// Treatment of connections on a listener, independent of its address.
    public struct Offer: Sendable, Hashable {
        public let service: ConfiguredService
        /// Addresses of proxies that send a PROXY protocol header on each connection; no other peer is served. Nil if
        /// connections begin without that header.
        public let proxies: [AddressRange]?
        /// Forward auth settings. Nil if clients send their requests to this listener directly.
        public let door: ConfiguredDoor?
    }

    public var service: ConfiguredService { offer.service }
    public var proxies: [AddressRange]? { offer.proxies }
    public var door: ConfiguredDoor? { offer.door }

    public init(
        address: ListenAddress, service: ConfiguredService = .plain(.http1), proxies: [AddressRange]? = nil,
        door: ConfiguredDoor? = nil
    ) {
        self.address = address
        offer = Offer(service: service, proxies: proxies, door: door)
    }

    /// True if clients may use HTTP/2 on this listener.
    var speaksHTTP2: Bool {
        switch service {
        case .plain(let protocols): protocols != .http1
        case .secure(let termination): termination.protocols != .http1
        case .redirect: false
        }
    }
}

/// Service of a listener, as configured.
public enum ConfiguredService: Sendable, Hashable {
    case plain(ListenerProtocols)
    case secure(ConfiguredTermination)
    case redirect(HTTPSRedirect)
}

/// Files and settings of a TLS listener. All files were valid when the configuration was read.
public struct ConfiguredTermination: Sendable, Hashable {
    /// Certificates and keys; the default comes first.
    public let identities: [IdentityFiles]
    /// Path of the trust anchors in PEM for client certificates. Nil if none are asked for.
    public let clientCAFile: String?
    /// True if a client without a certificate is refused.
    public let requiresClientCertificate: Bool
    public let floor: TLSFloor
    public let protocols: ListenerProtocols

    /// Paths of all files that the listener uses.
    public var files: [String] { identities.flatMap { [$0.certificate, $0.key] } + (clientCAFile.map { [$0] } ?? []) }
}
