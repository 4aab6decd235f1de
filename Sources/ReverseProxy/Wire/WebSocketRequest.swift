import HTTPMessages

/// WebSocket handshake of a request (RFC 6455 §4.1). A class, so that an ordinary request carries only a nil reference.
final class WebSocketRequest: Sendable {
    /// Nonce of the handshake. The response proves that the upstream has read it.
    let key: String
    /// Subprotocols that the client offers. Nil if the upstream may choose any.
    let offer: ProtocolOffer?

    init(key: String, offer: ProtocolOffer?) {
        self.key = key
        self.offer = offer
    }
}
