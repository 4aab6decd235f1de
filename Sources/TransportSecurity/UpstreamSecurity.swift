import NIOSSL
import ProxySettings

/// TLS settings for upstream connections, ready for use: trust anchors and the gateway's client certificate.
///
/// The upstream's chain and name are always verified; no setting turns this off.
public struct UpstreamSecurity: Sendable {
    public let context: NIOSSLContext
    /// Same settings, offering only HTTP/1.1.
    public let contextForHTTP1: NIOSSLContext

    /// Builds the TLS contexts.
    ///
    /// - Parameters:
    ///   - anchors: CA certificates that the upstream's chain must end in. Nil for the system's.
    ///   - identity: Client certificate for upstreams that ask for one. Nil if there is none.
    ///   - protocols: ALPN protocols (RFC 7301), in order of preference.
    /// - Throws: If libssl rejects the settings.
    public init(
        anchors: TrustAnchors? = nil, identity: TLSIdentity? = nil, floor: TLSFloor = .tls12, protocols: [String]
    ) throws(UpstreamSecurityProblem) {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.harden(floor, offering: protocols)
        configuration.certificateVerification = .fullVerification
        if let anchors { configuration.trustRoots = .certificates(anchors.certificates) }
        if let identity {
            configuration.certificateChain = identity.sources
            configuration.privateKey = .privateKey(identity.key)
        }
        do {
            context = try NIOSSLContext(configuration: configuration)
            configuration.applicationProtocols = ["http/1.1"]
            contextForHTTP1 = try NIOSSLContext(configuration: configuration)
        } catch {
            throw UpstreamSecurityProblem(cause: TLSReason.refusal(error))
        }
    }
}

/// Reason, for an operator, why the TLS settings for upstreams are rejected.
public struct UpstreamSecurityProblem: Error, Sendable, Hashable {
    public let cause: String
}
