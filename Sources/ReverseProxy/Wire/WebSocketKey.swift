import NIOCore
import NIOHTTP1
import NIOWebSocket

/// The nonce of a WebSocket's handshake (RFC 6455 §1.3), by the library's own rules.
enum WebSocketKey {
    static func make() -> String { NIOWebSocketClientUpgrader.randomRequestKey() }

    /// Whether a server that answers so has read the key, and therefore speaks the protocol.
    static func isAnswered(_ key: String, by accept: String) -> Bool {
        guard !key.isEmpty else { return false }
        let rules = NIOWebSocketClientUpgrader(requestKey: key) { channel, _ in
            channel.eventLoop.makeSucceededVoidFuture()
        }
        let fields: HTTPHeaders = ["Sec-WebSocket-Accept": accept]
        return rules.shouldAllowUpgrade(
            upgradeResponse: HTTPResponseHead(version: .http1_1, status: .switchingProtocols, headers: fields))
    }
}
