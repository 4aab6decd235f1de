/// Redis or Valkey server that counts quotas for several processes.
public struct SharedState: Sendable, Hashable {
    /// Name or address; IPv6 without brackets.
    public let host: String
    public let port: Int
    /// Number of the database on the server.
    public let database: Int
    /// Number of gateway processes that share the server.
    public let processes: Int
    /// User to log in as. Nil for the default user.
    public let user: String?
    /// Password to log in with. Nil if the gateway does not log in.
    public let password: [UInt8]?
    /// Secret under which caller names are hashed; the same in all processes.
    public let secret: [UInt8]
    /// Longest time that a request waits for the server's answer.
    public let timeout: Duration

    /// Address in logs: `host:port`, with brackets around an IPv6 address.
    public var address: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
