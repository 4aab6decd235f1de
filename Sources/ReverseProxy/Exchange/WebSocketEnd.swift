import RequestAuthorization

/// Reason why the gateway closes a WebSocket (RFC 6455 §7.4.1).
enum WebSocketEnd: Hashable {
    /// The request would now be refused.
    case refused(RejectionReason)
    case goingAway

    var status: UInt16 {
        switch self {
        case .refused: 1008
        case .goingAway: 1001
        }
    }

    var text: String {
        switch self {
        case .refused(let reason): reason.plainText
        case .goingAway: "The gateway is going away"
        }
    }

    var reason: RejectionReason? {
        switch self {
        case .refused(let reason): reason
        case .goingAway: nil
        }
    }
}
