import DenyLists

/// State of the deny list, for metrics.
public struct DenialFigures: Sendable, Hashable {
    /// Entries that deny something now.
    public let counts: [DenySource: Int]
    /// Time since the list in force was what the file says. Nil if there is no file.
    public let fileAge: Duration?
    public let fileFailures: UInt64
    /// Time since all that other gateways decided was known. Nil if they share nothing, or it never was.
    public let peersAge: Duration?
}
