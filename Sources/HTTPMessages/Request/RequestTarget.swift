/// Byte ranges of the parts of a request target in the head (RFC 9112 §3.2).
///
/// Percent escapes and dot segments are not examined here, nor which bytes of the path are literal.
public struct RequestTarget: Hashable, Sendable {
    public enum Form: Hashable, Sendable {
        /// `/path?query`
        case origin
        /// `http://authority/path?query`
        case absolute
        /// `*`, with OPTIONS only.
        case asterisk
    }

    public internal(set) var form: Form

    /// The whole target as it was sent.
    public internal(set) var bytes: Range<Int>

    /// The path with its first slash; empty for an absolute form without a path, `*` for the asterisk form.
    public internal(set) var path: Range<Int>

    /// Text after the first question mark, without it; its bytes above 0x7F are UTF-8.
    public internal(set) var query: Range<Int>?

    /// Whether the peer's HTTP/2 had it as a literal that is never indexed: it is forwarded as one (RFC 7541 §6.2.3).
    public internal(set) var isNeverIndexed = false
}

/// The host and port that a request is for, from `Host` or from the absolute target with which it agrees.
public struct Authority: Hashable, Sendable {
    /// `host` or `host:port` as it was sent.
    public internal(set) var bytes: Range<Int>

    /// A registered name, an IPv4 address, or an IPv6 address with its brackets; letters in the case they were sent in.
    public internal(set) var host: Range<Int>

    /// The port if one was written: 1 to 65,535.
    public internal(set) var port: Int?
}

extension RequestHead {
    /// The path and the query as ASCII, for an address that is told to the client; "/" for a target without a path.
    public var encodedTarget: String {
        let path = bytes.span.extracting(target.path)
        var text =
            path.isEmpty || path[0] != ASCII.slash
            ? [ASCII.slash] : path.encoded(except: ASCII.isTarget) ?? Array(slice(target.path))
        if let query = target.query {
            text.append(ASCII.questionMark)
            text.append(contentsOf: bytes.span.extracting(query).encoded(except: ASCII.isTarget) ?? Array(slice(query)))
        }
        return String(decoding: text, as: UTF8.self)
    }
}
