import HTTP2Sessions
import HTTPMessages
import ProxySettings

extension HTTP2Limits {
    /// Limits of a session with a client.
    init(ofClients limits: ProxyLimits) {
        self.init(
            concurrentStreams: limits.streams,
            fieldSection: limits.head.head,
            fields: limits.head.fields,
            connectionWindow: FixedLimits.connectionWindow,
            queue: FixedLimits.writeBuffer,
        )
    }
}
