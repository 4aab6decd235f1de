import NetworkNames

/// The clients that the admin listener answers.
struct AdminClients: Sendable {
    private static let loopback = ["127.0.0.0/8", "::1"].compactMap { AddressRange($0) }

    /// Networks of these clients. Nil if every client is answered.
    private let ranges: [AddressRange]?

    /// Takes the networks of the configuration file; loopback addresses are added.
    ///
    /// - Parameter ranges: permitted networks. Nil if every client is answered.
    init(_ ranges: [AddressRange]?) {
        self.ranges = ranges.map { $0 + Self.loopback }
    }

    /// True if the client is answered.
    ///
    /// - Parameter address: client's address as the socket states it. An IPv4-mapped IPv6 address counts as the IPv4
    ///   address.
    func contains(_ address: String?) -> Bool {
        guard let ranges else { return true }
        guard let address = address.flatMap({ IPAddress($0) }) else { return false }
        return ranges.contains { $0.contains(address) }
    }
}
