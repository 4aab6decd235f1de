import NIOCore
import NIOHTTP1

/// An answer; the server adds its framing.
struct LoopbackReply: Sendable {
    var status: HTTPResponseStatus = .ok
    var fields: HTTPHeaders = [:]
    var body = ByteBuffer()
}
