/// Client address of a connection, as stated in a PROXY protocol header (HAProxy's proxy-protocol.txt, versions 1 and
/// 2).
///
/// The header proves nothing. The caller decides whether to trust the peer that sent it.
public enum ProxyHeader: Sendable, Hashable {
    /// The proxy's own connection, such as a health check, or one without IP addresses. Use the socket's address.
    case local
    /// A connection made for a client with this address.
    case client(IPAddress)

    /// A header and its length in bytes. The bytes after it belong to the next protocol.
    public struct Received: Sendable, Hashable {
        public let header: ProxyHeader
        public let length: Int

        @inlinable
        public init(header: ProxyHeader, length: Int) {
            self.header = header
            self.length = length
        }
    }

    /// Reads the header at the beginning of the received bytes. Nil while it is incomplete.
    ///
    /// Call it after each read with everything received so far. Bytes that cannot become a header are refused
    /// immediately, so at most `ProxyBlock.longest` bytes are waiting for more.
    public static func read(_ bytes: Span<UInt8>) throws(ProxyHeaderRejection) -> Received? {
        guard !bytes.isEmpty else { return nil }
        return bytes[0] == ProxyLine.firstByte ? try ProxyLine.read(bytes) : try ProxyBlock.read(bytes)
    }
}

/// Reason why received bytes are not a PROXY protocol header.
public enum ProxyHeaderRejection: Error, Hashable, Sendable, CaseIterable {
    /// The bytes begin like neither version: the peer speaks another protocol.
    case signature
    /// Version 1: no CRLF within `ProxyLine.longest` bytes.
    case lineTooLong
    /// Version 1: a byte that is not printable ASCII, or a lone CR or LF.
    case lineByte
    /// Version 1: a protocol other than `TCP4`, `TCP6` or `UNKNOWN`. Version 2: an undefined family or transport.
    case family
    /// Version 1: anything except two addresses and two ports, each after one space.
    case fields
    /// Version 1: a text that is not an address of the stated family.
    case address
    /// Version 1: a text that is not a number from 0 to 65535 without leading zeros.
    case port
    /// Version 2: a version number other than 2.
    case version
    /// Version 2: a command other than LOCAL and PROXY.
    case command
    /// Version 2: more than `ProxyBlock.longest` bytes.
    case blockTooLong
    /// Version 2: a block that is too short for the addresses of its family.
    case blockTooShort
    /// Version 2: type-length-value vectors that do not fill the rest of the block exactly.
    case vectors
    /// Version 2: a checksum that does not match the block.
    case checksum
}

extension ProxyHeaderRejection {
    /// Description for the operator's log. It contains no received bytes.
    public var text: String {
        switch self {
        case .signature: "neither version 1 nor version 2 of the PROXY protocol; does the proxy send it?"
        case .lineTooLong: "version 1: no line of at most \(ProxyLine.longest) bytes"
        case .lineByte: "version 1: a byte that is not allowed in the line"
        case .family: "neither TCP4 nor TCP6 nor UNKNOWN, or an unknown family of version 2"
        case .fields: "version 1: not two addresses and two ports"
        case .address: "version 1: an address of another family than the stated one"
        case .port: "version 1: not a port"
        case .version: "version 2: another version"
        case .command: "version 2: neither LOCAL nor PROXY"
        case .blockTooLong: "version 2: longer than \(ProxyBlock.longest) bytes"
        case .blockTooShort: "version 2: too short for its addresses"
        case .vectors: "version 2: vectors that do not fit the length"
        case .checksum: "version 2: a wrong checksum"
        }
    }
}
