/// Parser for the line of PROXY protocol version 1: `PROXY TCP4 192.0.2.1 198.51.100.2 56324 443` (proxy-protocol.txt
/// §2.1).
///
/// Strict: one space between fields, no leading zeros, addresses of the stated family.
public enum ProxyLine {
    /// Length limit of a line in bytes, including its CRLF.
    public static let longest = 107

    static let firstByte = UInt8(ascii: "P")
    private static let prefix = Array("PROXY ".utf8)
    private static let (carriageReturn, lineFeed, space) = (UInt8(0x0D), UInt8(0x0A), UInt8(ascii: " "))

    static func read(_ bytes: Span<UInt8>) throws(ProxyHeaderRejection) -> ProxyHeader.Received? {
        var line: [UInt8] = []
        for index in 0..<min(bytes.count, longest) {
            let byte = bytes[index]
            if byte == carriageReturn, line.count >= prefix.count {
                guard index &+ 1 < longest else { throw .lineTooLong }
                guard index &+ 1 < bytes.count else { return nil }
                guard bytes[index &+ 1] == lineFeed else { throw .lineByte }
                return ProxyHeader.Received(header: try header(line.dropFirst(prefix.count)), length: index &+ 2)
            }
            guard index >= prefix.count || byte == prefix[index] else { throw .signature }
            guard byte >= space, byte < 0x7F else { throw .lineByte }
            line.append(byte)
        }
        guard bytes.count < longest else { throw .lineTooLong }
        return nil
    }

    /// - Parameter line: the text between `PROXY ` and the CRLF.
    private static func header(_ line: ArraySlice<UInt8>) throws(ProxyHeaderRejection) -> ProxyHeader {
        let fields = line.split(separator: space, omittingEmptySubsequences: false)
        guard let family = fields.first else { throw .family }
        // The rest of the line after `UNKNOWN` must be ignored.
        guard !family.elementsEqual("UNKNOWN".utf8) else { return .local }
        let isIPv4 = family.elementsEqual("TCP4".utf8)
        guard isIPv4 || family.elementsEqual("TCP6".utf8) else { throw .family }
        guard fields.count == 5, fields.allSatisfy({ !$0.isEmpty }) else { throw .fields }
        let addresses = fields[1...2].compactMap { isIPv4 ? IPAddress(ipv4: $0.span) : IPAddress(ipv6: $0.span) }
        guard addresses.count == 2, let client = addresses.first else { throw .address }
        guard fields[3...4].allSatisfy({ PortNumber.canonical($0.span) != nil }) else { throw .port }
        return .client(client)
    }
}
