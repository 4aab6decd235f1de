import NetworkNames

@testable import HTTPMessages

/// Writes the field section of an HTTP/2 response as the head of an HTTP/1.1 response (RFC 9113 §8.3.2) for the
/// HTTP/1.1 parser, with which `ResponseHeadBuilder` is compared.
struct ResponseTranslation: ~Copyable {
    /// Framing of the body after the head; `.chunked` if its length is unknown.
    private(set) var framing = ResponseBodyFraming.none
    /// True if another response follows (RFC 9110 §15.2).
    private(set) var isInterim = false

    private let requestIsHEAD: Bool
    private var status: Int?
    private var fieldsBegan = false
    private var contentLength: Int?
    /// True if trailers carry the result, as in gRPC: in HTTP/1.1 a body of known length would leave no room for them.
    private var needsTrailers = false
    /// Complete lines.
    private var lines = HeadWriter()

    init(requestIsHEAD: Bool) {
        self.requestIsHEAD = requestIsHEAD
    }

    /// Takes the next field, in the order of the section.
    mutating func add(_ name: String, _ value: String) throws(ResponseMalformation) {
        guard name.utf8.first != ASCII.colon else {
            guard name == ":status", status == nil, !fieldsBegan else { throw .pseudoHeader }
            guard value.utf8.count == 3, let status = Int(value), (100...599).contains(status), status != 101 else {
                throw .status
            }
            return self.status = status
        }
        fieldsBegan = true
        guard name.isFieldNameOfHTTP2 else { throw .invalidField }
        switch name {
        case "connection", "proxy-connection", "keep-alive", "transfer-encoding", "upgrade": throw .connectionField
        case "content-length":
            guard contentLength == nil, let length = try? ContentLength.parse(value.utf8.span) else {
                throw .contentLength
            }
            contentLength = length
        default:
            if name == "content-type", MediaType.matches(Array(value.utf8).span, "application/grpc", endings: "+;") {
                needsTrailers = true
            }
            guard lines.field(name.utf8.span, value.utf8.span) else { throw .invalidField }
        }
    }

    /// Writes the whole head, with `Connection: close`, because a stream is used only once.
    ///
    /// - Parameter endsStream: true if nothing follows the section.
    mutating func write(into writer: inout HeadWriter, endsStream: Bool) throws(ResponseMalformation) {
        guard let status else { throw .pseudoHeader }
        isInterim = status < 200
        guard !isInterim || !endsStream else { throw .status }
        writer.reset()
        writer.statusLine(status)
        writer.append(lines)
        let hasNoContent = isInterim || requestIsHEAD || status == 204 || status == 304
        if !isInterim { writer.field("connection", "close") }
        if hasNoContent {
            framing = .none
        } else if endsStream {
            guard contentLength ?? 0 == 0 else { throw .contentLength }
            framing = .length(0)
        } else if let contentLength, !needsTrailers {
            framing = .length(contentLength)
        } else {
            framing = .chunked
        }
        switch framing {
        case .chunked: writer.field("transfer-encoding", "chunked")
        case .length(let length): writer.field("content-length", length)
        case .none, .untilClose: if let contentLength { writer.field("content-length", contentLength) }
        }
        writer.finish()
    }
}
