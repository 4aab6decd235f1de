import AccessControl
import HTTPMessages
import RequestAuthorization
import TokenVerification

/// State of an open-ended exchange: a gRPC call, an event stream, or a WebSocket.
struct StreamingExchange {
    enum Kind: Hashable { case grpc, events, webSocket }

    let kind: Kind
    /// Time at which its permission ends, and the reason. Nil if it never ends.
    var end: PermissionEnd?
    /// True if `stream_idle` applies instead of `body_idle`; only for authenticated callers.
    var isPatient: Bool
    /// Marks of its token that are looked up in the deny list. Nil if there is no token, or it has not been read yet. A
    /// class, so that exchanges without one stay small.
    var marks: StreamMarks?
    /// Time at which its client stops waiting; monotonic, in nanoseconds. Nil if the client has no deadline.
    let deadline: Int64?

    /// Positions within the WebSocket's frames, one for each direction.
    var fromClient = WebSocketFrames()
    var toClient = WebSocketFrames()
    /// Reason to close the WebSocket as soon as possible. Nil unless it is to be closed.
    var webSocketEnd: WebSocketEnd?
    private var looksLeft = 8

    init(_ kind: Kind, end: PermissionEnd? = nil, marks: StreamMarks? = nil, deadline: Int64? = nil) {
        self.kind = kind
        self.marks = marks
        isPatient = kind != .grpc
        self.end = end
        self.deadline = deadline
    }

    /// Reason to end the exchange now. Nil if it continues.
    func ending(at now: Int64, date: NumericDate) -> RejectionReason? {
        if let deadline, now >= deadline { return .upstream(.deadlineExceeded) }
        if let end, date >= end.time { return end.reason }
        return nil
    }

    /// True at the eighth call: a frame on its way to the client has had enough time to end. Call it once for each
    /// tick.
    mutating func isOutOfPatience() -> Bool {
        looksLeft = max(0, looksLeft - 1)
        return looksLeft == 0
    }

    /// Trailers that end the exchange regularly. Empty unless it is a gRPC call.
    func trailers(for reason: RejectionReason) -> [UInt8] {
        guard kind == .grpc else { return [] }
        return Array("grpc-status: \(reason.grpcStatus)\r\ngrpc-message: \(reason.plainText)\r\n".utf8)
    }
}

/// Deny list marks of the token that opened a stream.
final class StreamMarks: Sendable {
    let value: DenyMarks

    init(_ value: DenyMarks) {
        self.value = value
    }
}

extension MessageHead {
    /// Time that the gRPC client waits, in nanoseconds (`grpc-timeout`: up to eight digits and a unit). Nil if it is
    /// absent or malformed.
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
