/// The 64-bit FNV-1a hash, which is the same in every process. Not for secrets: input can be constructed for any hash.
package enum FNV1a {
    package static func hash(_ bytes: Span<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for index in bytes.indices { hash = (hash ^ UInt64(bytes[index])) &* 0x0000_0100_0000_01B3 }
        return hash
    }
}
