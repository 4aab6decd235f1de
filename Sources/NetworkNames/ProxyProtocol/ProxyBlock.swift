/// Parser for the binary block of PROXY protocol version 2 (proxy-protocol.txt §2.2).
///
/// The checksum is the only type-length-value vector after the addresses that is used. A LOCAL block, or one of an
/// unspecified family, is skipped without reading its content.
public enum ProxyBlock {
    /// Size limit of a block in bytes. Proxies send about a hundred bytes, a little more with the names of a TLS
    /// client.
    public static let longest = 4_096

    private static let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
    private static let fixedLength = 16

    private enum Command: UInt8 { case local, proxy }

    /// Address family (upper half of the byte) and transport (lower half).
    private enum Family: UInt8 {
        case unspecified = 0x00
        case tcp4 = 0x11
        case udp4 = 0x12
        case tcp6 = 0x21
        case udp6 = 0x22
        case unixStream = 0x31
        case unixDatagram = 0x32

        var addressLength: Int {
            switch self {
            case .unspecified: 0
            case .tcp4, .udp4: 12
            case .tcp6, .udp6: 36
            case .unixStream, .unixDatagram: 216
            }
        }
    }

    static func read(_ bytes: Span<UInt8>) throws(ProxyHeaderRejection) -> ProxyHeader.Received? {
        for index in 0..<min(bytes.count, signature.count) {
            guard bytes[index] == signature[index] else { throw .signature }
        }
        guard bytes.count > 12 else { return nil }
        guard bytes[12] >> 4 == 2 else { throw .version }
        guard let command = Command(rawValue: bytes[12] & 0xF) else { throw .command }
        guard bytes.count > 13 else { return nil }
        // The family of a LOCAL block must be ignored.
        let family = command == .local ? Family.unspecified : Family(rawValue: bytes[13])
        guard let family else { throw .family }
        guard bytes.count >= fixedLength else { return nil }
        let length = fixedLength &+ (Int(bytes[14]) << 8 | Int(bytes[15]))
        guard length <= longest else { throw .blockTooLong }
        guard length >= fixedLength &+ family.addressLength else { throw .blockTooShort }
        guard bytes.count >= length else { return nil }
        let block = bytes.extracting(first: length)
        if family != .unspecified { try judgeVectors(of: block, from: fixedLength &+ family.addressLength) }
        return ProxyHeader.Received(header: header(of: block, family), length: length)
    }

    private static func header(of block: Span<UInt8>, _ family: Family) -> ProxyHeader {
        switch family {
        case .unspecified, .unixStream, .unixDatagram: .local
        case .tcp4, .udp4: .client(IPAddress(ipv4: UInt32(truncatingIfNeeded: word(of: block, 16..<20))))
        case .tcp6, .udp6: .client(IPAddress(high: word(of: block, 16..<24), low: word(of: block, 24..<32)))
        }
    }

    /// An integer of up to eight bytes in network order.
    private static func word(of block: Span<UInt8>, _ range: Range<Int>) -> UInt64 {
        var word: UInt64 = 0
        for index in range where index < block.count { word = word << 8 | UInt64(block[index]) }
        return word
    }

    // MARK: Vectors

    private static let checksumType: UInt8 = 0x03

    /// Refuses vectors that do not fill the block exactly. At most one of them may be a checksum, and it must be
    /// correct.
    private static func judgeVectors(of block: Span<UInt8>, from start: Int) throws(ProxyHeaderRejection) {
        var checksum: Range<Int>?
        var index = start
        while index < block.count {
            guard index &+ 3 <= block.count else { throw .vectors }
            let value = index &+ 3..<index &+ 3 &+ (Int(block[index &+ 1]) << 8 | Int(block[index &+ 2]))
            guard value.upperBound <= block.count else { throw .vectors }
            if block[index] == checksumType {
                guard value.count == 4, checksum == nil else { throw .vectors }
                checksum = value
            }
            index = value.upperBound
        }
        guard let checksum else { return }
        guard word(of: block, checksum) == UInt64(CRC32C.checksum(of: block, withoutBytesIn: checksum)) else {
            throw .checksum
        }
    }
}
