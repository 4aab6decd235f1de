import NIOCore
import NIOSSL
import ProxySettings

/// What a TLS listener shows its clients and asks of them, ready for use.
///
/// Immutable: other certificates are another value, which connections that come later get.
public struct ListenerSecurity: Sendable {
    public let context: NIOSSLContext
    /// In the order of the file, the default first.
    public let identities: [TLSIdentity]
    /// What is agreed upon with a client (RFC 7301); one that offers nothing gets `http/1.1`, if that is among them.
    public let protocols: [String]
    /// Whether clients may or must show a certificate.
    public let asksForCertificate: Bool

    /// - Parameters:
    ///   - identities: the first is the default; another answers to clients that ask for one of its names.
    ///   - clients: whose certificates clients may show or have to show; nil: they are not asked.
    ///   - protocols: for ALPN (RFC 7301), the best first.
    /// - Throws: if libssl does not take them.
    public init(
        identities: [TLSIdentity], clients: ClientCertificates? = nil, floor: TLSFloor = .tls12, protocols: [String]
    ) throws(ListenerSecurityProblem) {
        guard let first = identities.first else { throw .noCertificate }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: first.sources, privateKey: .privateKey(first.key))
        configuration.harden(floor, offering: protocols)
        if let clients {
            configuration.certificateVerification =
                clients.areRequired ? .noHostnameVerification : .optionalVerification
            configuration.trustRoots = .certificates(clients.anchors.certificates)
            configuration.sendCANameList = true
        }
        // A single certificate needs no look at the name, and no suspension of the handshake for it.
        if identities.count > 1 { configuration.sslContextCallback = Self.selection(among: identities) }
        do {
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw .refused(TLSReason.refusal(error))
        }
        self.identities = identities
        self.protocols = protocols
        asksForCertificate = clients != nil
    }

    private static func selection(among identities: [TLSIdentity]) -> NIOSSLContextCallback {
        let table = ServerNameTable(identities.map(\.names))
        let overrides = identities.map { identity in
            var override = NIOSSLContextConfigurationOverride()
            override.certificateChain = identity.sources
            override.privateKey = .privateKey(identity.key)
            return override
        }
        return { hello, promise in
            let index = table.certificate(for: hello.serverHostname)
            promise.succeed(index.flatMap { overrides.indices.contains($0) ? overrides[$0] : nil } ?? .noChanges)
        }
    }
}

/// Certificates that clients show.
public struct ClientCertificates: Sendable {
    let anchors: TrustAnchors
    /// Whether a client without one is refused in the handshake.
    let areRequired: Bool

    public init(anchors: TrustAnchors, areRequired: Bool) {
        self.anchors = anchors
        self.areRequired = areRequired
    }
}

/// Why there is no TLS listener.
public enum ListenerSecurityProblem: Error, Sendable, Hashable {
    case noCertificate
    /// In words for an operator.
    case refused(String)

    public var reason: String {
        switch self {
        case .noCertificate: "there is no certificate"
        case .refused(let words): words
        }
    }
}
