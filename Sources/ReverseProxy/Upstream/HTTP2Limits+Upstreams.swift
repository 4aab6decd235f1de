import HTTP2Sessions
import HTTPMessages
import ProxySettings

extension HTTP2Limits {
    /// Limits of a session with an upstream. A head above the head limit fails its own request, not the connection with
    /// all its streams.
    ///
    /// The streams' windows bound the waiting content. The connection's window is large enough for all streams, so that
    /// clients that do not read never delay others.
    init(ofUpstreamHeads limits: HeadLimits) {
        let room = limits.enlarged
        self.init(
            concurrentStreams: FixedLimits.upstreamStreams, fieldSection: room.head, fields: room.fields,
            queue: FixedLimits.writeBuffer)
        connectionWindow = streamWindow * concurrentStreams
    }
}
