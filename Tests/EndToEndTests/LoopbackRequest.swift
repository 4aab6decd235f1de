import NIOCore
import NIOHTTP1

/// A request with its whole body.
struct LoopbackRequest: Sendable {
    let method: HTTPMethod
    /// With the query.
    let target: String
    let fields: HTTPHeaders
    let body: ByteBuffer

    var path: String { String(target.prefix { $0 != "?" }) }
}
