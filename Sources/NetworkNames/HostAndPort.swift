/// `host`, `host:port` or `[address]:port`, taken apart but not judged (RFC 3986 §3.2.2, §3.2.3).
///
/// Every reader finds the same end of the host; which hosts and ports it accepts is up to the reader.
public struct HostAndPort: Sendable, Hashable {
    /// Without its brackets; possibly empty.
    public let host: Substring
    public let isBracketed: Bool
    /// What follows the host and its closing bracket: nothing, or a colon and the port; anything else is a fault.
    public let rest: Substring

    /// nil: an opening bracket that is never closed.
    public init?(_ text: Substring) {
        guard let offsets = Offsets(text.utf8.span) else { return nil }
        host = Self.slice(text, offsets.host)
        isBracketed = offsets.isBracketed
        rest = Self.slice(text, offsets.rest)
    }

    /// nil: an opening bracket that is never closed.
    public init?(_ text: String) {
        self.init(text[...])
    }

    /// The text behind the colon, unjudged and possibly empty; nil: no colon follows the host.
    public var port: Substring? {
        rest.utf8.first == UInt8(ascii: ":") ? Substring(rest.utf8.dropFirst()) : nil
    }

    private static func slice(_ text: Substring, _ offsets: Range<Int>) -> Substring {
        let bytes = text.utf8
        let start = bytes.index(bytes.startIndex, offsetBy: offsets.lowerBound)
        return text[start..<bytes.index(start, offsetBy: offsets.count)]
    }
}
