import Hummingbird
import NIOCore

/// What is known of a request on the admin listener besides itself.
struct AdminRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The address of the connection's other end, without its port; nil: the connection is gone.
    let peer: String?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        peer = source.channel.remoteAddress?.ipAddress
    }
}
