import COpenSSL
import Foundation

/// Handwritten request and response of a WebSocket handshake.
enum WebSocketSample {
    /// The sample key of RFC 6455 §1.3.
    static let key = "dGhlIHNhbXBsZSBub25jZQ=="

    static func request(_ path: String = "/", key: String = key) -> String {
        """
        GET \(path) HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r
        Sec-WebSocket-Key: \(key)\r\nSec-WebSocket-Version: 13\r\n\r\n
        """
    }

    /// The server's response for a key.
    static func answer(to key: String = key) -> String {
        """
        HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r
        Sec-WebSocket-Accept: \(accept(for: key))\r\n\r\n
        """
    }

    static func accept(for key: String) -> String {
        let input = Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
        var digest = [UInt8](repeating: 0, count: 20)
        unsafe EVP_Digest(input, input.count, &digest, nil, EVP_sha1(), nil)
        return Data(digest).base64EncodedString()
    }
}
