import Hummingbird
import NIOCore

/// Context of a request on the admin listener.
struct AdminRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The peer's address, without its port. Nil if the connection is gone.
    let peer: String?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        peer = source.channel.remoteAddress?.ipAddress
    }
}
