import Hummingbird
import NIOCore

/// Context of a request on the admin listener.
struct AdminRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel
    /// The address of the client, without its port. Nil if the connection is closed.
    let peer: String?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
        peer = source.channel.remoteAddress?.ipAddress
    }
}
