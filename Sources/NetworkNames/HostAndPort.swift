/// `host`, `host:port` or `[address]:port`, taken apart but not judged (RFC 3986 §3.2.2, §3.2.3).
///
/// Every reader finds the same end of the host; which hosts and ports it accepts is up to the reader.
public struct HostAndPort: Sendable, Hashable {
    /// Without its brackets; possibly empty.
    public let host: Substring
    public let isBracketed: Bool
    /// Text after the host and its closing bracket: empty, or a colon and the port. Anything else is a fault.
    public let rest: Substring

    /// Nil if an opening bracket is never closed.
    public init?(_ text: Substring) {
        guard let offsets = Offsets(text.utf8.span) else { return nil }
        host = Self.slice(text, offsets.host)
        isBracketed = offsets.isBracketed
        rest = Self.slice(text, offsets.rest)
    }

    /// Nil if an opening bracket is never closed.
    public init?(_ text: String) {
        self.init(text[...])
    }

    /// Text after the colon, unchecked and possibly empty. Nil if no colon follows the host.
    public var port: Substring? {
        rest.utf8.first == UInt8(ascii: ":") ? Substring(rest.utf8.dropFirst()) : nil
    }

    private static func slice(_ text: Substring, _ offsets: Range<Int>) -> Substring {
        let bytes = text.utf8
        let start = bytes.index(bytes.startIndex, offsetBy: offsets.lowerBound)
        return text[start..<bytes.index(start, offsetBy: offsets.count)]
    }
}
