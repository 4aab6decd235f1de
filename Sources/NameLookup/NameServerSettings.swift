/// Settings for finding and asking name servers.
public struct NameServerSettings: Sendable {
    /// File that lists the name servers.
    public var file = "/etc/resolv.conf"
    /// Port of all name servers. Nil for port 53.
    public var port: UInt16?
    /// Time that the first question to a server waits for an answer. It doubles with each round over all servers.
    public var timeout: Duration = .seconds(2)
    /// Number of times that each server is asked.
    public var tries = 3
    /// Time that the addresses of one family wait for those of the other.
    public var familyPatience: Duration = .seconds(1)
    /// Least time between two checks of the file for changes.
    public var lookInterval: Duration = .seconds(2)

    public init() {}
}
