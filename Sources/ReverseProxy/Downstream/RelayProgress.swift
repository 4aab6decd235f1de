import AuthorizationDoors
import HTTPMessages
import ProxySettings
import RequestAuthorization
import UpstreamFleets

/// What a request needs on its way to an upstream and back, besides what is recorded of it.
struct RelayProgress {
    var isHEAD = false
    var peerIsTrusted = false
    /// Whether the proxy that asks at a door asks again on the connection; nil: the head is that of the request itself.
    var keepsConnection: Bool?
    /// What was received of a proxy's message; nil where none asks by one.
    var message: CheckMessage?
    /// The client's address that a proxy's message states.
    var statedClient: ClientAddress?
    var forwarding: Forwarding?
    var pool: TargetPool?
    /// The place of the present attempt in its fleet; nil where there is nothing to choose.
    var seat: FleetSeat?
    /// What it waits for if all places are taken.
    var place: PlaceWait?
    /// The targets of the fleet that failed the request.
    var tried = TargetSet()
    var attempts = 0
    /// When the present attempt began; monotonic, in nanoseconds. nil: it has its outcome, or there is none.
    var attemptStartedAt: Int64?
    /// What another attempt would send again of its body.
    var held = HeldBody()
    /// Its slot among the requests with an upstream. Nil if it is not with one.
    var slot: InFlightSlot?
    /// The request for the WebSocket protocol, if it is one and its resource allows that.
    var webSocket: WebSocketRequest?
    /// State of an open-ended exchange (gRPC, events, WebSocket); nil for an ordinary one.
    var streaming: StreamingExchange?
    /// How fast its body is received.
    var bodyRate = BodyRate()

    /// Attempts at most, the first included.
    var mostAttempts: Int { seat == nil ? FixedLimits.attempts : Fleet.mostAttempts }

    /// Gives the place in the fleet back.
    mutating func leaveSeat() {
        guard var seat = seat.take() else { return }
        tried.insert(seat.choice.target)
        seat.leave()
    }

    /// Whether `stream_idle` applies instead of `body_idle`.
    var usesStreamIdle: Bool { streaming?.isPatient ?? false }
}
