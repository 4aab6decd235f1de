import NetworkNames

/// Result of looking up a name.
public enum NameAnswer: Sendable, Hashable {
    case addresses(FoundAddresses)
    /// Name servers report that the name does not exist, or that it has no address.
    case notFound
    /// The lookup failed. The text is for operators.
    case failed(String)
}

/// Addresses of a name, and how long they are valid.
public struct FoundAddresses: Sendable, Hashable {
    /// At least one and at most ``most``, in the order of the answer, without duplicates.
    public let addresses: [IPAddress]
    /// Shortest time to live of the records that lead to an address. Nil if the addresses are from `/etc/hosts`.
    public let lifetime: Duration?
    /// Address family whose lookup failed. Nil if both lookups succeeded.
    public let unanswered: AddressFamily?

    /// Largest number of addresses that are kept for a name.
    public static let most = 64

    public init(_ addresses: [IPAddress], lifetime: Duration?, unanswered: AddressFamily? = nil) {
        self.addresses = addresses
        self.lifetime = lifetime
        self.unanswered = unanswered
    }
}

/// Family of IP addresses. Each has its own DNS record type.
public enum AddressFamily: Sendable, Hashable, CaseIterable {
    case ipv4
    case ipv6
}
