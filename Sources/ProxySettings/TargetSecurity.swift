/// The TLS settings for a server: those of the file, and the paths of the files that hold the rest.
public struct TargetSecurity: Sendable, Hashable {
    /// Trust anchors in PEM in place of the system's.
    public let caFile: String?
    /// The client certificate for an upstream that asks for one.
    public let identity: IdentityFiles?
    /// The name that is asked for and verified; nil: the target's host.
    public let serverName: String?
    public let floor: TLSFloor
    /// What is offered to the server.
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

    /// Every file that it is made of.
    public var files: [String] { [caFile, identity?.certificate, identity?.key].compactMap { $0 } }
}
