import NetworkNames

/// Ranges of a request target's parts in the head's bytes (RFC 9112 §3.2).
///
/// Not checked here: percent escapes, dot segments, and which bytes of the path must be percent-encoded.
public struct RequestTarget: Hashable, Sendable {
    public enum Form: Hashable, Sendable {
        /// Origin form: `/path?query`.
        case origin
        /// Absolute form: `http://authority/path?query`.
        case absolute
        /// Asterisk form: `*`, with OPTIONS only.
        case asterisk
    }

    public internal(set) var form: Form

    /// The range of the whole target as it was sent.
    public internal(set) var bytes: Range<Int>

    /// The range of the path with its first slash. Empty for an absolute form without a path, `*` for the asterisk
    /// form.
    public internal(set) var path: Range<Int>

    /// The range of the query, after the first question mark. Its bytes above 0x7F are UTF-8. Nil if there is no
    /// question mark.
    public internal(set) var query: Range<Int>?

    /// True if the target arrived in HTTP/2 as a literal that is never indexed. It is forwarded as one (RFC 7541
    /// §6.2.3).
    public internal(set) var isNeverIndexed = false
}

/// The host and port of a request, from `Host` or from the absolute target that agrees with it.
public struct Authority: Hashable, Sendable {
    /// The range of `host` or `host:port` as it was sent.
    public internal(set) var bytes: Range<Int>

    /// The range of the host: a registered name, an IPv4 address, or an IPv6 address in brackets. Its case is the
    /// sender's.
    public internal(set) var host: Range<Int>

    /// The port, 1 to 65,535. Nil if none was written.
    public internal(set) var port: Int?
}

extension RequestHead {
    /// The path and the query as ASCII, for a URL that is sent to the client. "/" for a target without a path.
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
