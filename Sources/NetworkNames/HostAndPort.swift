/// Parts of `host`, `host:port` or `[address]:port`. They are split but not validated (RFC 3986 §3.2.2, §3.2.3).
///
/// All callers agree on the end of the host. Each decides itself which hosts and ports it accepts.
public struct HostAndPort: Sendable, Hashable {
    /// The host without brackets. May be empty.
    public let host: Substring
    public let isBracketed: Bool
    /// The text after the host and its closing bracket: empty, or a colon and the port. Anything else is an error for
    /// the caller to detect.
    public let rest: Substring

    /// Splits the text at the end of the host. Nil if an opening bracket is never closed.
    public init?(_ text: Substring) {
        guard let offsets = Offsets(text.utf8.span) else { return nil }
        host = Self.slice(text, offsets.host)
        isBracketed = offsets.isBracketed
        rest = Self.slice(text, offsets.rest)
    }

    /// Splits the text at the end of the host. Nil if an opening bracket is never closed.
    public init?(_ text: String) {
        self.init(text[...])
    }

    /// The text after the colon, not validated and possibly empty. Nil if no colon follows the host.
    public var port: Substring? {
        rest.utf8.first == UInt8(ascii: ":") ? Substring(rest.utf8.dropFirst()) : nil
    }

    private static func slice(_ text: Substring, _ offsets: Range<Int>) -> Substring {
        let bytes = text.utf8
        let start = bytes.index(bytes.startIndex, offsetBy: offsets.lowerBound)
        return text[start..<bytes.index(start, offsetBy: offsets.count)]
    }
}
