import NIOCore
import NIOHTTP1

/// An answer; its framing is the server's matter.
struct LoopbackReply: Sendable {
    var status: HTTPResponseStatus = .ok
    var fields: HTTPHeaders = [:]
    var body = ByteBuffer()
}
