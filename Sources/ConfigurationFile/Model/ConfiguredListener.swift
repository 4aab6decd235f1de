import NetworkNames
import ProxySettings

/// A data listener: where it is, and how clients are spoken with on it.
public struct ConfiguredListener: Sendable, Hashable {
    public let address: ListenAddress
    public let offer: Offer

    /// What a listener does with connections, wherever it is.
    public struct Offer: Sendable, Hashable {
        public let service: ConfiguredService
        /// Peers whose connections begin with a PROXY protocol header, and who alone are served; nil: no connection
        /// begins with one.
        public let proxies: [AddressRange]?
        /// What it is at which proxies ask; nil: clients send requests there.
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

    /// Whether a client may speak HTTP/2 on it.
    var speaksHTTP2: Bool {
        switch service {
        case .plain(let protocols): protocols != .http1
        case .secure(let termination): termination.protocols != .http1
        case .redirect: false
        }
    }
}

/// What a listener offers, as the file says it.
public enum ConfiguredService: Sendable, Hashable {
    case plain(ListenerProtocols)
    case secure(ConfiguredTermination)
    case redirect(HTTPSRedirect)
}

/// The files and settings of a TLS listener. All files were whole when the configuration was read.
public struct ConfiguredTermination: Sendable, Hashable {
    /// The default first.
    public let identities: [IdentityFiles]
    /// Trust anchors in PEM for clients' certificates; nil: none are asked for.
    public let clientCAFile: String?
    /// Whether a client without a certificate is refused.
    public let requiresClientCertificate: Bool
    public let floor: TLSFloor
    public let protocols: ListenerProtocols

    /// Every file that the listener is made of.
    public var files: [String] { identities.flatMap { [$0.certificate, $0.key] } + (clientCAFile.map { [$0] } ?? []) }
}
