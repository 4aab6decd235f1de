import NetworkNames

/// Clients that the admin listener answers.
struct AdminClients: Sendable {
    private static let loopback = ["127.0.0.0/8", "::1"].compactMap { AddressRange($0) }

    /// Networks that are answered. Nil if every client is.
    private let ranges: [AddressRange]?

    /// - Parameter ranges: networks that are answered besides loopback. Nil if every client is.
    init(_ ranges: [AddressRange]?) {
        self.ranges = ranges.map { $0 + Self.loopback }
    }

    /// - Parameter address: as the socket has it; an IPv4 address in IPv6 form is that IPv4 address.
    func contains(_ address: String?) -> Bool {
        guard let ranges else { return true }
        guard let address = address.flatMap({ IPAddress($0) }) else { return false }
        return ranges.contains { $0.contains(address) }
    }
}
