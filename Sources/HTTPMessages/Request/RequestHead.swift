/// A request head as a view over its bytes: what the first line, the framing and the connection fields say, each judged
/// already.
///
/// Only a `RequestHeadParser` or `RequestHeadBuilder` fills one. Not checked: percent escapes and dot segments of the
/// target, credentials, and whether anything is served under this authority.
public struct RequestHead: MessageHead {
    public internal(set) var section = HeaderSection()

    /// The method, a token; CONNECT and TRACE are rejected before.
    public internal(set) var method: Range<Int> = 0..<0

    public internal(set) var target = RequestTarget(form: .origin, bytes: 0..<0, path: 0..<0, query: nil)

    public internal(set) var version: HTTPVersion = .http11

    /// `.chunked` also for an HTTP/2 body of unknown length.
    public internal(set) var framing: BodyFraming = .none

    /// Whether the client allows another request after this one (RFC 9112 §9.3).
    public internal(set) var keepsAlive = false

    /// Whether the client waits for 100 before it sends the body (RFC 9110 §10.1.1); never in HTTP/1.0.
    public internal(set) var expectsContinue = false

    /// From the absolute target, `:authority` or `Host`, which agree; nil only for HTTP/1.0 with neither.
    public internal(set) var authority: Authority?

    /// Whether the answer has no content, whatever it announces (RFC 9110 §9.3.2).
    public var isHEAD: Bool { bytes.span.extracting(method).equals("HEAD") }

    init() {}

    /// Forgets everything that was received; storage is kept.
    public mutating func removeAll() {
        section.removeAll()
        (method, authority) = (0..<0, nil)
        target = RequestTarget(form: .origin, bytes: 0..<0, path: 0..<0, query: nil)
    }
}
