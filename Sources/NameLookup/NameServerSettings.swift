/// How name servers are found and asked.
public struct NameServerSettings: Sendable {
    /// The file that says which they are.
    public var file = "/etc/resolv.conf"
    /// Of all of them; nil: 53.
    public var port: UInt16?
    /// How long the first question to a server waits for its answer; it doubles with each round over all servers.
    public var timeout: Duration = .seconds(2)
    /// How often each server is asked.
    public var tries = 3
    /// How long the addresses of one family wait for those of the other.
    public var familyPatience: Duration = .seconds(1)
    /// From one look at the file to the next, at least.
    public var lookInterval: Duration = .seconds(2)

    public init() {}
}
