import HTTPMessages

/// A request for the WebSocket protocol (RFC 6455 §4.1). A reference, so that ordinary requests carry no more than its
/// absence.
final class WebSocketRequest: Sendable {
    /// The nonce that the answer proves to have read.
    let key: String
    /// What it offers as subprotocols. Nil if any choice of the upstream's will do.
    let offer: ProtocolOffer?

    init(key: String, offer: ProtocolOffer?) {
        self.key = key
        self.offer = offer
    }
}
