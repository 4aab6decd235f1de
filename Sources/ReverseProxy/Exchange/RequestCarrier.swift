import AuthorizationDoors
import HTTPMessages
import NIOCore
import ProxySettings
import RequestAuthorization

/// Carrier of a request and its answer: an HTTP/1.1 connection, or an HTTP/2 stream.
///
/// The exchange calls it for everything that concerns the client. A write can trigger events before it returns.
protocol RequestCarrier: AnyObject {
    /// True if more of an answer may be written now.
    var isWritable: Bool { get }
    /// Bytes written that the client has not taken.
    var unwrittenBytes: Int { get }
    /// True if the answer's framing allows it to end before the upstream's body does.
    var mayEndEarly: Bool { get }

    // MARK: The request's body

    /// Number of content bytes received so far.
    var bodyByteCount: Int { get }
    /// Bytes still to come of a body of known length. Nil for other bodies.
    var bodyRest: Int? { get }
    /// Takes the received part of the body.
    func takeBody() throws(RejectedBody) -> BodyPart
    /// Discards received bytes that were not consumed.
    func discardInput()
    /// Consumes waiting bytes, now that the exchange can take them.
    func process()

    // MARK: The answer

    func sendInterim(_ head: ResponseHead)
    func sendResponse(_ head: ResponseHead?, _ content: ByteBuffer?, ends: Bool, trailers: [UInt8])
    /// Sends an answer of the gateway's own.
    ///
    /// - Parameter rest: Bytes of the body still to come. Nil if unknown, or if the client may not send them.
    func sendAnswer(_ answer: OwnAnswer, rest: Int?, endsConnection: Bool)
    /// Called when the response is sent and recorded. The carrier continues with the next request, or closes.
    func exchangeEnded()

    // MARK: Tunnels

    /// Sends the head with which the upstream switched to the WebSocket protocol.
    func sendUpgrade(_ head: ResponseHead)
    func sendTunnel(_ bytes: ByteBuffer)
    /// Called when the tunnel ended and is recorded. Closes the client's side once everything is sent.
    func tunnelEnded()

    // MARK: Closing

    /// Breaks off the answer so that the client sees it is incomplete.
    func abort()
    func close()
}

/// A received part of a body.
struct BodyPart {
    var content: ByteBuffer?
    /// True if it is the last part.
    var isLast: Bool
    /// Lines of the trailer section, with the last part only.
    var trailers: [UInt8] = []

    var byteCount: Int { (content?.readableBytes ?? 0) + trailers.count }
}

/// Reason why a body that is being forwarded is rejected.
struct RejectedBody: Error, Hashable {
    let reason: RejectionReason
}

/// An answer of the gateway's own.
enum OwnAnswer {
    case rejection(Rejection)
    /// A rejection in the form of a gRPC response.
    case grpcRejection(Rejection)
    case document(PublishedDocument)
    case preflight(PreflightAnswer)
    /// Permission for a proxy that asks at a door.
    case permission(DoorPermission)
    /// Any of the other answers, for a proxy that asks by a message.
    case check(CheckAnswer)
    /// Redirect to the same target with `https`.
    case redirect(to: String)

    var status: Int {
        switch self {
        case .rejection(let rejection): rejection.reason.status
        case .grpcRejection, .document, .permission, .check: 200
        case .preflight(let answer): answer.verdict.status.rawValue
        case .redirect: 308
        }
    }

    /// Lines of the trailer section.
    var trailers: [UInt8] {
        if case .check = self { Array("grpc-status: 0\r\n".utf8) } else { [] }
    }

    /// Writes the head of the answer. Returns the content, which is omitted if the request was HEAD.
    func write(into head: inout some HeadOutput, _ terms: AnswerTerms) -> [UInt8] {
        switch self {
        case .rejection(let rejection): return rejection.write(into: &head, terms)
        case .grpcRejection(let rejection): rejection.writeGRPC(into: &head, terms)
        case .document(let document): return document.write(into: &head, terms)
        case .preflight(let answer): return answer.write(into: &head, terms)
        case .permission(let permission): permission.write(into: &head, terms)
        case .check(let answer):
            head.beginAnswer(200, terms)
            head.field("content-type", "application/grpc")
            head.finish()
            return answer.bytes
        case .redirect(let location): HTTPSRedirect.write(location, into: &head, terms)
        }
        return []
    }
}
