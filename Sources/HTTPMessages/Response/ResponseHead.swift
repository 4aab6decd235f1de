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

extension ResponseHead {
    /// Judges the fields that decide where the response ends, when all are there (RFC 9112 §6.3).
    mutating func judge(requestMethodIsHEAD: Bool, limits: HeadLimits) throws(ResponseHeadRejection) {
        let stated: HeaderSection.Framing
        let options: HeaderSection.ConnectionOptions
        do throws(FieldRejection) {
            stated = try section.framing(version: version)
            options = try section.readConnection(limits: limits)
        } catch {
            throw .field(error)
        }
        framing = try framing(stated, requestMethodIsHEAD: requestMethodIsHEAD)
        keepsAlive = version == .http11 && !options.close && framing != .untilClose
    }

    private func framing(
        _ stated: HeaderSection.Framing,
        requestMethodIsHEAD: Bool
    ) throws(ResponseHeadRejection) -> ResponseBodyFraming {
        if status < 200 || status == 204 {
            try requireNoContent(stated)
            return .none
        }
        // Both may say how a body would have been framed (RFC 9110 §8.6, RFC 9112 §6.1).
        if requestMethodIsHEAD || status == 304 { return .none }
        switch stated {
        case .unstated: return .untilClose
        case .length(let length): return .length(length)
        case .chunked: return .chunked
        }
    }

    /// Refuses a body announced where none can be: its bytes would be the next response to somebody else's request.
    private func requireNoContent(_ stated: HeaderSection.Framing) throws(ResponseHeadRejection) {
        switch stated {
        case .unstated, .length(0): return
        case .length: throw .contentLengthWithoutContent
        case .chunked: throw .transferEncodingWithoutContent
        }
    }
}
