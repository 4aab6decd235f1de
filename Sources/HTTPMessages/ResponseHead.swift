/// A response head as a view over its bytes, each part judged already.
///
/// Only a `ResponseHeadParser` or `ResponseHeadBuilder` fills one.
public struct ResponseHead: MessageHead {
    public internal(set) var section = HeaderSection()

    public internal(set) var version: HTTPVersion = .http11

    /// 100 to 599; 101 is not refused here.
    public internal(set) var status = 0

    /// The reason phrase, often empty.
    public internal(set) var reason: Range<Int> = 0..<0

    /// `.chunked` also for an HTTP/2 body of unknown length, and for one with trailers that must not be lost.
    public internal(set) var framing: ResponseBodyFraming = .none

    /// Whether the upstream allows another request after this response; never in HTTP/1.0 and HTTP/2, nor when
    /// closing ends the body.
    public internal(set) var keepsAlive = false

    /// Whether another response to the same request follows (RFC 9110 §15.2); 101 is not one.
    public var isInterim: Bool { status >= 100 && status < 200 && status != 101 }

    init() {}
}

extension ResponseHead {
    /// Asks a client for the body that it holds back (RFC 9110 §15.2.1).
    public static let `continue`: ResponseHead = {
        var head = ResponseHead()
        head.status = 100
        return head
    }()
}
