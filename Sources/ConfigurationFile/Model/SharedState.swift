/// A server that counts quotas for several processes.
public struct SharedState: Sendable, Hashable {
    /// A name or an address, IPv6 without brackets.
    public let host: String
    public let port: Int
    /// The number of its database.
    public let database: Int
    /// How many processes share it.
    public let processes: Int
    /// nil: the default user.
    public let user: String?
    /// nil: nobody logs in.
    public let password: [UInt8]?
    /// Under which the names of callers are hashed, in all processes.
    public let secret: [UInt8]
    /// How long a request waits for its answer.
    public let timeout: Duration

    /// `host:port`, with brackets where they belong; what logs call it.
    public var address: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
