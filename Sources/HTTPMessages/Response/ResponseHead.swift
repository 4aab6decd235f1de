/// A response head as a view over its bytes, with each part validated.
///
/// Only a `ResponseHeadParser` or `ResponseHeadBuilder` fills one.
public struct ResponseHead: MessageHead {
    public internal(set) var section = HeaderSection()

    public internal(set) var version: HTTPVersion = .http11

    /// The status code, 100 to 599. 101 is not refused here.
    public internal(set) var status = 0

    /// The range of the reason phrase, which is often empty.
    public internal(set) var reason: Range<Int> = 0..<0

    /// The framing of the body. `.chunked` also for an HTTP/2 body of unknown length, and for one whose trailers must
    /// not be lost.
    public internal(set) var framing: ResponseBodyFraming = .none

    /// True if the upstream allows another request after this response. Never in HTTP/1.0 and HTTP/2, nor if closing
    /// ends the body.
    public internal(set) var keepsAlive = false

    /// True if another response to the same request follows (RFC 9110 §15.2). 101 does not count.
    public var isInterim: Bool { status >= 100 && status < 200 && status != 101 }

    init() {}
}

extension ResponseHead {
    /// A response with status 100, which asks a client to send the body that it holds back (RFC 9110 §15.2.1).
    public static let `continue`: ResponseHead = {
        var head = ResponseHead()
        head.status = 100
        return head
    }()
}

extension ResponseHead {
    /// Validates the fields that determine the end of the response, after all fields were read (RFC 9112 §6.3).
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
        // Both may state the framing that a body would have had (RFC 9110 §8.6, RFC 9112 §6.1).
        if requestMethodIsHEAD || status == 304 { return .none }
        switch stated {
        case .unstated: return .untilClose
        case .length(let length): return .length(length)
        case .chunked: return .chunked
        }
    }

    /// Refuses a body that is announced where none can be. Its bytes would be taken for the response to another
    /// client's request.
    private func requireNoContent(_ stated: HeaderSection.Framing) throws(ResponseHeadRejection) {
        switch stated {
        case .unstated, .length(0): return
        case .length: throw .contentLengthWithoutContent
        case .chunked: throw .transferEncodingWithoutContent
        }
    }
}
