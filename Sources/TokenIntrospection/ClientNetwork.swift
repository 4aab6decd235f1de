/// A client, as far as introspection is shared fairly: an IPv4 address, or the network of 64 bits of an IPv6 one.
public struct ClientNetwork: Sendable, Hashable {
    let high: UInt64
    let low: UInt64

    /// The address in IPv6 form, in two halves; what tells clients of one network apart is zero already.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}
