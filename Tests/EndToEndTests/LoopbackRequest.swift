import NIOCore
import NIOHTTP1

/// A request with its complete body.
struct LoopbackRequest: Sendable {
    let method: HTTPMethod
    /// Request target with the query.
    let target: String
    let fields: HTTPHeaders
    let body: ByteBuffer

    var path: String { String(target.prefix { $0 != "?" }) }
}
