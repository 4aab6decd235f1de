/// Statement of a PROXY protocol header about its connection (HAProxy's proxy-protocol.txt, versions 1 and 2).
///
/// The caller decides whether a peer may state it: the header itself proves nothing.
public enum ProxyHeader: Sendable, Hashable {
    /// The sender's own connection, such as a health check, or one without IP addresses. The socket's address counts.
    case local
    /// Made for a client at this address.
    case client(IPAddress)

    /// A header, and how many bytes it takes; what follows belongs to the next protocol.
    public struct Received: Sendable, Hashable {
        public let header: ProxyHeader
        public let length: Int

        @inlinable
        public init(header: ProxyHeader, length: Int) {
            self.header = header
            self.length = length
        }
    }

    /// Reads the header that received bytes begin with; nil while it is not complete.
    ///
    /// Called again with everything received so far after each read. What cannot become a header is refused at once, so
    /// at most `ProxyBlock.longest` bytes wait for the rest of theirs.
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
    /// Version 1: a byte that is not printable ASCII, or a CR or LF alone.
    case lineByte
    /// Version 1: something else than `TCP4`, `TCP6` or `UNKNOWN`. Version 2: no family and transport of the
    /// specification.
    case family
    /// Version 1: not two addresses and two ports, one space before each.
    case fields
    /// Version 1: not an address of the family.
    case address
    /// Version 1: not a number from 0 to 65535 without leading zeros.
    case port
    /// Version 2: another version.
    case version
    /// Version 2: neither LOCAL nor PROXY.
    case command
    /// Version 2: more than `ProxyBlock.longest` bytes.
    case blockTooLong
    /// Version 2: too short for the addresses of its family.
    case blockTooShort
    /// Version 2: type-length-value vectors that do not fill the rest exactly.
    case vectors
    /// Version 2: a checksum that is not the header's.
    case checksum
}

extension ProxyHeaderRejection {
    /// For the operator's log: made of nothing that was received.
    public var text: String {
        switch self {
        case .signature: "neither version 1 nor version 2 of the PROXY protocol; does the proxy send it?"
        case .lineTooLong: "version 1: no line of at most \(ProxyLine.longest) bytes"
        case .lineByte: "version 1: a byte that has no place in the line"
        case .family: "neither TCP4 nor TCP6 nor UNKNOWN, or an unknown family of version 2"
        case .fields: "version 1: not two addresses and two ports"
        case .address: "version 1: not an address of the family that it names"
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
