import AuthorizationDoors
import HTTPMessages
import NIOCore
import ProxySettings
import RequestAuthorization

/// What carries a request and its answer: an HTTP/1.1 connection, or a stream.
///
/// The exchange calls it for everything that touches the client. What it writes can bring in events before it returns.
protocol RequestCarrier: AnyObject {
    /// Whether more of an answer can be written without piling up.
    var isWritable: Bool { get }
    /// Bytes that were written and that the client has not taken.
    var unwrittenBytes: Int { get }
    /// Whether the answer's framing allows an end before the upstream's.
    var mayEndEarly: Bool { get }

    // MARK: The request's body

    /// Content bytes received so far.
    var bodyByteCount: Int { get }
    /// How much of a body of known length is still to come; nil of any other.
    var bodyRest: Int? { get }
    /// Takes what was received of the body.
    func takeBody() throws(RejectedBody) -> BodyPart
    /// Forgets what was received and not consumed.
    func discardInput()
    /// Consumes what waited, now that the exchange can take it.
    func process()

    // MARK: The answer

    func sendInterim(_ head: ResponseHead)
    func sendResponse(_ head: ResponseHead?, _ content: ByteBuffer?, ends: Bool, trailers: [UInt8])
    /// Sends an answer of the gateway's own.
    ///
    /// - Parameter rest: how much of the body is still to come; nil if it is not known, or the client may decide not to
    ///   send it.
    func sendAnswer(_ answer: OwnAnswer, rest: Int?, endsConnection: Bool)
    /// The response is sent and recorded; the carrier continues with what follows.
    func exchangeEnded()

    // MARK: Tunnels

    /// Sends the head with which the upstream switched to the WebSocket protocol.
    func sendUpgrade(_ head: ResponseHead)
    func sendTunnel(_ bytes: ByteBuffer)
    /// The tunnel is over and recorded; it ends for the client too, once the client has everything.
    func tunnelEnded()

    // MARK: Ends

    /// Ends so that the client sees that the answer is not complete.
    func abort()
    func close()
}

/// What was received of a body.
struct BodyPart {
    var content: ByteBuffer?
    /// Whether it is the last part.
    var isLast: Bool
    /// The trailer section's lines, with the last part.
    var trailers: [UInt8] = []

    var byteCount: Int { (content?.readableBytes ?? 0) + trailers.count }
}

/// Why a body that is being forwarded does not continue.
struct RejectedBody: Error, Hashable {
    let reason: RejectionReason
}

/// An answer of the gateway's own.
enum OwnAnswer {
    case rejection(Rejection)
    /// The same in the form of gRPC.
    case grpcRejection(Rejection)
    case document(PublishedDocument)
    case preflight(PreflightAnswer)
    /// For a proxy that asks at a door.
    case permission(DoorPermission)
    /// Any of them, for a proxy that asks by a message.
    case check(CheckAnswer)
    /// To the same target by https.
    case redirect(to: String)

    var status: Int {
        switch self {
        case .rejection(let rejection): rejection.reason.status
        case .grpcRejection, .document, .permission, .check: 200
        case .preflight(let answer): answer.verdict.status.rawValue
        case .redirect: 308
        }
    }

    /// The lines of the trailer section.
    var trailers: [UInt8] {
        if case .check = self { Array("grpc-status: 0\r\n".utf8) } else { [] }
    }

    /// Writes the head of the answer, and returns the content that follows it unless the request was HEAD.
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
