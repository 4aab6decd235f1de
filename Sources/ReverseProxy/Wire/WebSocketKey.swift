import NIOCore
import NIOHTTP1
import NIOWebSocket

/// Nonce of a WebSocket handshake (RFC 6455 §1.3), made and checked by SwiftNIO.
enum WebSocketKey {
    static func make() -> String { NIOWebSocketClientUpgrader.randomRequestKey() }

    /// Returns true if a server's `Sec-WebSocket-Accept` matches the key. It has then read the key, and speaks the
    /// protocol.
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
