import NetworkNames

extension IPAddress {
    /// Makes an address from its bytes in network order, with IPv4 in IPv6 form.
    ///
    /// - Parameter bytes: sixteen bytes.
    init(networkOrder bytes: UnsafeRawBufferPointer) {
        unsafe self.init(
            high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
            low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }
}
