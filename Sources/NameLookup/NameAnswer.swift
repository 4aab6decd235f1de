import NetworkNames

/// What a lookup learnt of a name.
public enum NameAnswer: Sendable, Hashable {
    case addresses(FoundAddresses)
    /// Name servers say that the name does not exist, or that it has no address.
    case notFound
    /// Nothing was learnt; the text is for operators.
    case failed(String)
}

/// The addresses of a name, and for how long they hold.
public struct FoundAddresses: Sendable, Hashable {
    /// At least one and at most ``most``, in the order of the answer, without duplicates.
    public let addresses: [IPAddress]
    /// The shortest time to live of the records that lead to an address; nil if no record does: it is from
    /// `/etc/hosts`.
    public let lifetime: Duration?
    /// The family of which nothing was learnt, because its lookup failed.
    public let unanswered: AddressFamily?

    /// How many addresses of a name are kept.
    public static let most = 64

    public init(_ addresses: [IPAddress], lifetime: Duration?, unanswered: AddressFamily? = nil) {
        self.addresses = addresses
        self.lifetime = lifetime
        self.unanswered = unanswered
    }
}

/// The two kinds of addresses, each with a record type of its own.
public enum AddressFamily: Sendable, Hashable, CaseIterable {
    case ipv4
    case ipv6
}
