import AccessControl
import HTTPMessages

extension AuthorizationRequest {
    /// True if a browser page opens a WebSocket with this request, and the policy checks its origin.
    func opensJudgedWebSocket(_ policy: WebSocketPolicy) -> Bool {
        guard policy.origins != .unjudged, head.contains(.origin) else { return false }
        return isAtDoor ? head.hasSignOfWebSocket : head.webSocketKey != nil
    }
}

extension RequestHead {
    /// True if the head has a field that browsers send only with a WebSocket handshake.
    ///
    /// A forward auth proxy need not send the complete handshake to a door. `Connection` is dropped by every proxy,
    /// `Upgrade` by some, and HTTP/2 has no key (RFC 8441). No page can make its browser send one of these fields in
    /// another request.
    fileprivate var hasSignOfWebSocket: Bool {
        upgradesToWebSocket || contains(.secWebSocketKey) || contains(.secWebSocketVersion)
    }
}

extension RequestWalk {
    /// Rejects a WebSocket for a page whose origin may not open one.
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
