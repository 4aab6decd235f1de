import NIOCore
import NIOSSL
import ProxySettings

/// TLS settings of a listener, ready for use: its certificates, its protocols, and the client certificates it accepts.
///
/// Immutable: a changed certificate gives a new value, used by later connections only.
public struct ListenerSecurity: Sendable {
    public let context: NIOSSLContext
    /// Certificates in the order of the file. The first is the default.
    public let identities: [TLSIdentity]
    /// ALPN protocols offered to clients (RFC 7301). A client without ALPN gets `http/1.1`, if it is in the list.
    public let protocols: [String]
    /// True if clients may or must present a certificate.
    public let asksForCertificate: Bool

    /// Builds the TLS context.
    ///
    /// - Parameters:
    ///   - identities: The first is the default; another answers clients that ask for one of its names (SNI).
    ///   - clients: Client certificates that are accepted. Nil if the listener does not ask for one.
    ///   - protocols: ALPN protocols (RFC 7301), in order of preference.
    /// - Throws: If there is no certificate, or libssl rejects the settings.
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
        // With one certificate, skip the look at the name, which suspends the handshake.
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

/// Trust anchors for client certificates, and whether clients must present one.
public struct ClientCertificates: Sendable {
    let anchors: TrustAnchors
    /// True if a client without a certificate fails the handshake.
    let areRequired: Bool

    public init(anchors: TrustAnchors, areRequired: Bool) {
        self.anchors = anchors
        self.areRequired = areRequired
    }
}

/// Reason why the TLS settings of a listener are rejected.
public enum ListenerSecurityProblem: Error, Sendable, Hashable {
    case noCertificate
    /// Rejected by the TLS library. The text is for an operator.
    case refused(String)

    public var reason: String {
        switch self {
        case .noCertificate: "there is no certificate"
        case .refused(let words): words
        }
    }
}
