import NIOSSL
import ProxySettings

/// How an upstream is authenticated, and our client certificate, ready for use.
///
/// An upstream's chain and name are always verified; there is no value without that.
public struct UpstreamSecurity: Sendable {
    public let context: NIOSSLContext
    /// The same, offering HTTP/1.1 alone.
    public let contextForHTTP1: NIOSSLContext

    /// - Parameters:
    ///   - anchors: what the upstream's chain has to end in; nil: one of the system's.
    ///   - identity: the client certificate for an upstream that asks for one.
    ///   - protocols: for ALPN (RFC 7301), the best first.
    /// - Throws: if libssl does not take them.
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

/// Why the TLS settings for upstreams cannot be used, in words for an operator.
public struct UpstreamSecurityProblem: Error, Sendable, Hashable {
    public let cause: String
}
