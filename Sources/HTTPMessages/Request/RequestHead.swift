/// A request head as a view over its bytes, with validated request line, framing and connection fields.
///
/// Only a `RequestHeadParser` or `RequestHeadBuilder` fills one. Not checked: percent escapes and dot segments of the
/// target, credentials, and whether anything is served under this authority.
public struct RequestHead: MessageHead {
    public internal(set) var section = HeaderSection()

    /// The range of the method, a token. CONNECT and TRACE were already refused.
    public internal(set) var method: Range<Int> = 0..<0

    public internal(set) var target = RequestTarget(form: .origin, bytes: 0..<0, path: 0..<0, query: nil)

    public internal(set) var version: HTTPVersion = .http11

    /// The framing of the body. `.chunked` also for an HTTP/2 body of unknown length.
    public internal(set) var framing: BodyFraming = .none

    /// True if the client allows another request after this one (RFC 9112 §9.3).
    public internal(set) var keepsAlive = false

    /// True if the client waits for 100 before it sends the body (RFC 9110 §10.1.1). Never in HTTP/1.0.
    public internal(set) var expectsContinue = false

    /// The authority from the absolute target, `:authority` or `Host`, which agree. Nil only for HTTP/1.0 without any
    /// of them.
    public internal(set) var authority: Authority?

    /// True for HEAD: the response has no content, regardless of the length it states (RFC 9110 §9.3.2).
    public var isHEAD: Bool { bytes.span.extracting(method).equals("HEAD") }

    init() {}

    /// Removes everything that was received and keeps the storage.
    public mutating func removeAll() {
        section.removeAll()
        (method, authority) = (0..<0, nil)
        target = RequestTarget(form: .origin, bytes: 0..<0, path: 0..<0, query: nil)
    }
}
