import NetworkNames

extension IPAddress {
    /// - Parameter bytes: sixteen.
    init(networkOrder bytes: UnsafeRawBufferPointer) {
        unsafe self.init(
            high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
            low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }
}
