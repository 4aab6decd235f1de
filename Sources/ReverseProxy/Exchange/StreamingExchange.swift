import AccessControl
import HTTPMessages
import RequestAuthorization
import TokenVerification

/// The state of an open-ended exchange: a gRPC call, an event stream, or a WebSocket.
struct StreamingExchange {
    enum Kind: Hashable { case grpc, events, webSocket }

    let kind: Kind
    /// When what permitted it is over; nil: never.
    var end: PermissionEnd?
    /// Whether `stream_idle` applies instead of `body_idle`; only for authenticated callers.
    var isPatient: Bool
    /// What a deny list is asked about its token; nil: there is no token, or it was not read so far. A class, so that
    /// exchanges without one stay small.
    var marks: StreamMarks?
    /// When its client no longer wants an answer, monotonic in nanoseconds; nil: whenever it comes.
    let deadline: Int64?

    /// Where the frames of a WebSocket are, in each direction.
    var fromClient = WebSocketFrames()
    var toClient = WebSocketFrames()
    /// Why it ends as soon as it can, if it is a WebSocket.
    var webSocketEnd: WebSocketEnd?
    private var looksLeft = 8

    init(_ kind: Kind, end: PermissionEnd? = nil, marks: StreamMarks? = nil, deadline: Int64? = nil) {
        self.kind = kind
        self.marks = marks
        isPatient = kind != .grpc
        self.end = end
        self.deadline = deadline
    }

    /// Why it ends now; nil: it does not.
    func ending(at now: Int64, date: NumericDate) -> RejectionReason? {
        if let deadline, now >= deadline { return .upstream(.deadlineExceeded) }
        if let end, date >= end.time { return end.reason }
        return nil
    }

    /// Whether a frame on its way to the client has had enough time to end; call it once for each look at the clock.
    mutating func isOutOfPatience() -> Bool {
        looksLeft = max(0, looksLeft - 1)
        return looksLeft == 0
    }

    /// The trailers that end it politely, where its protocol has some.
    func trailers(for reason: RejectionReason) -> [UInt8] {
        guard kind == .grpc else { return [] }
        return Array("grpc-status: \(reason.grpcStatus)\r\ngrpc-message: \(reason.plainText)\r\n".utf8)
    }
}

/// What is kept of the token that a stream was opened with.
final class StreamMarks: Sendable {
    let value: DenyMarks

    init(_ value: DenyMarks) {
        self.value = value
    }
}

extension MessageHead {
    /// How long the client of gRPC waits, in nanoseconds (`grpc-timeout`: up to eight digits and a unit); nil: it does
    /// not say.
    var grpcTimeout: Int64? {
        guard let field = fields.first(where: { string($0.name).lowercased() == "grpc-timeout" }) else { return nil }
        let text = string(field.value)
        guard let unit = text.last.flatMap({ Self.nanoseconds[$0] }), (2...9).contains(text.utf8.count),
            let count = Int64(text.dropLast()),
            count >= 0, text.first != "+"
        else { return nil }
        let (product, overflow) = count.multipliedReportingOverflow(by: unit)
        return overflow ? nil : product
    }

    private static var nanoseconds: [Character: Int64] {
        ["H": 3_600_000_000_000, "M": 60_000_000_000, "S": 1_000_000_000, "m": 1_000_000, "u": 1000, "n": 1]
    }
}
