/// Limits that are not configurable.
public enum FixedLimits {
    /// Low and high watermark of a channel's write buffer, in bytes. A channel above the high one is not writable until
    /// it falls below the low one.
    public static let writeBuffer = 8 * 1024..<32 * 1024
    /// Most bytes that one read returns. Together with a full write buffer this makes 64 KiB in one direction.
    public static let read = 32 * 1024
    /// Longest body part that is copied behind the head, in bytes, so that one write carries both.
    public static let copiedBody = 8 * 1024
    /// The HTTP/2 flow-control window of a client's connection, in bytes.
    public static let connectionWindow = 256 * 1024
    /// Bytes that an HTTP/2 connection may hold for streams that do not consume them. While memory is short, a
    /// connection that holds this much is not read.
    public static let heldWhileShort = 64 * 1024
    /// Estimated memory of a new connection and of a new request, in bytes. They are added up until the memory in use
    /// is measured again.
    public static let (connectionMemory, requestMemory) = (32 * 1024, 16 * 1024)
    /// Most bytes of an unwanted request body that are read and discarded.
    public static let unwantedBody = 64 * 1024
    /// Most bytes of an HTTP/2 upload that are read and discarded after its response; then the stream is reset.
    public static let unwantedUpload = 1024 * 1024
    /// Time that an upstream has to read the last bytes of an upgraded connection.
    public static let tunnelFarewell: Duration = .seconds(1)
    /// Shortest time over which the rate of a body is averaged.
    public static let bodyRateWindow: Duration = .seconds(10)
    /// Longest time that idle connections stay open when the gateway drains.
    public static let idleWhileDraining: Duration = .seconds(5)
    /// Most interim responses (1xx) to one request.
    public static let interimResponses = 10
    /// Most attempts at one request, the first included.
    public static let attempts = 2
    /// Most idle upstream connections that one event loop keeps for one target.
    public static let idleUpstreams = 512
    /// Safety margin before the idle timeout that an upstream announced: from then on its connection is not reused.
    public static let reuseMargin: Duration = .seconds(1)
    /// Most concurrent requests on one HTTP/2 connection to an upstream.
    public static let upstreamStreams = 100
    /// Most requests on one HTTP/2 connection to an upstream; then a new connection is opened.
    public static let sessionRequests = 1_000_000
    /// Number of successive HTTP/2 connections on which a target takes no requests before new ones are slowed down.
    /// From then on, each event loop opens one connection to the target per ``refusalPause``.
    public static let refusingSessions = 3
    public static let refusalPause: Duration = .seconds(1)
    /// Most requests that are reset on one HTTP/2 connection to an upstream; then a new connection is opened. Even if
    /// all remaining streams are reset too, the number stays below what servers tolerate. Netty, SwiftNIO and nghttp2
    /// tolerate at least 200 in half a minute.
    public static let sessionResets = 50
}
