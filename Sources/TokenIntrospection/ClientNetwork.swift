/// Identity of a client for fair sharing of introspection: an IPv4 address, or the first 64 bits of an IPv6 address.
public struct ClientNetwork: Sendable, Hashable {
    let high: UInt64
    let low: UInt64

    /// Takes an address in IPv6 form, in two halves. The bits that differ between clients of one network must already
    /// be zero.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}
