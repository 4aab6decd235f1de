/// TLS settings for connections to a server. Certificates and keys are named by their paths.
public struct TargetSecurity: Sendable, Hashable {
    /// Path of the trust anchors in PEM. Nil for those of the system.
    public let caFile: String?
    /// Client certificate for a server that asks for one. Nil if none is sent.
    public let identity: IdentityFiles?
    /// Name that is sent as SNI and verified in the server's certificate. Nil for the target's host.
    public let serverName: String?
    public let floor: TLSFloor
    /// HTTP versions that are offered to the server.
    public let protocols: ListenerProtocols

    public init(
        caFile: String? = nil, identity: IdentityFiles? = nil, serverName: String? = nil, floor: TLSFloor = .tls12,
        protocols: ListenerProtocols = .both
    ) {
        self.caFile = caFile
        self.identity = identity
        self.serverName = serverName
        self.floor = floor
        self.protocols = protocols
    }

    /// Paths of all files that these settings use.
    public var files: [String] { [caFile, identity?.certificate, identity?.key].compactMap { $0 } }
}
