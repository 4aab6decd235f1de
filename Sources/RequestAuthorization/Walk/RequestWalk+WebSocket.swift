import AccessControl
import HTTPMessages

extension AuthorizationRequest {
    /// Whether a browser opens a WebSocket with it for a page of the policy's concern.
    func opensJudgedWebSocket(_ policy: WebSocketPolicy) -> Bool {
        guard policy.origins != .unjudged, head.contains(.origin) else { return false }
        return isAtDoor ? head.hasSignOfWebSocket : head.webSocketKey != nil
    }
}

extension RequestHead {
    /// True if a field stands there that browsers send with a WebSocket's handshake alone.
    ///
    /// A proxy that asks at a door need not state the handshake whole: `Connection` ends at every one of them,
    /// `Upgrade` at some, and within HTTP/2 there is no key (RFC 8441). No page can have its browser send one of these
    /// fields otherwise.
    fileprivate var hasSignOfWebSocket: Bool {
        upgradesToWebSocket || contains(.secWebSocketKey) || contains(.secWebSocketVersion)
    }
}

extension RequestWalk {
    /// Refuses a WebSocket to a page whose origin may not open one.
    mutating func judgeOpener(of request: borrowing AuthorizationRequest, _ policy: WebSocketPolicy)
        throws(Interruption)
    {
        guard request.opensJudgedWebSocket(policy) else { return }
        guard let value = request.head.only(.origin)?.value else { throw severalOrigins() }
        let origin = request.head.bytes.span.extracting(value)
        guard origin.isOneOrigin else { throw severalOrigins() }
        let hint: String
        switch policy.origins {
        case .unjudged: return
        case .own:
            guard !request.head.isOwnOrigin(value) else { return }
            hint = Self.notOwnOrigin
        case .listed(let origins):
            guard !origins.contain(origin) else { return }
            hint = Self.unlistedOrigin
        }
        facts.stage = .crossOrigin
        facts.hint = hint
        throw .reject(Rejection(.routing(.originRefused)))
    }

    static let notOwnOrigin =
        "the page is of another origin than the request's own; to let such pages open WebSockets, write `websocket: {origins: …}`"
    static let unlistedOrigin =
        "the page's origin is not in `websocket.origins`, or in `cors.origins` if that is not written"
}
