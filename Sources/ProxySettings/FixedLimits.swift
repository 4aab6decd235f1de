/// Limits that are not configurable.
public enum FixedLimits {
    /// A channel is writable again below the first, and not writable above the second; in bytes.
    public static let writeBuffer = 8 * 1024..<32 * 1024
    /// The most that one read takes: with what may be waiting to be written, 64 KiB in one direction.
    public static let read = 32 * 1024
    /// Body bytes up to this many are copied behind the head, so that one write carries both.
    public static let copiedBody = 8 * 1024
    /// The HTTP/2 flow-control window of a client's connection, in bytes.
    public static let connectionWindow = 256 * 1024
    /// Bytes that an HTTP/2 connection may hold for streams that do not take them, and is still read while memory is
    /// short.
    public static let heldWhileShort = 64 * 1024
    /// What a connection that is accepted, and a request that begins, are taken to cost until memory is looked at
    /// again; in bytes.
    public static let (connectionMemory, requestMemory) = (32 * 1024, 16 * 1024)
    /// How much of an unwanted body is read and discarded, in bytes.
    public static let unwantedBody = 64 * 1024
    /// How much of an upload over HTTP/2 is read and discarded behind its answer before it is called off, in bytes.
    public static let unwantedUpload = 1024 * 1024
    /// How long an upstream has to read the last bytes of an upgraded connection.
    public static let tunnelFarewell: Duration = .seconds(1)
    /// Over how long the rate of a body is averaged at least.
    public static let bodyRateWindow: Duration = .seconds(10)
    /// How long idle connections are left open at most when the gateway drains.
    public static let idleWhileDraining: Duration = .seconds(5)
    /// Interim responses to one request.
    public static let interimResponses = 10
    /// Attempts at one request, the first included.
    public static let attempts = 2
    /// Idle upstream connections of one loop to one target.
    public static let idleUpstreams = 512
    /// So long before the end that its upstream announced, a connection is not used again.
    public static let reuseMargin: Duration = .seconds(1)
    /// Requests at once on one HTTP/2 connection to an upstream.
    public static let upstreamStreams = 100
    /// Requests on one HTTP/2 connection to an upstream, after which there is a fresh one.
    public static let sessionRequests = 1_000_000
    /// HTTP/2 connections in a row on which a target takes no requests, after which it gets one in ``refusalPause``;
    /// for each event loop.
    public static let refusingSessions = 3
    public static let refusalPause: Duration = .seconds(1)
    /// Requests that are cut off on one HTTP/2 connection to an upstream, after which there is a fresh one. With all of
    /// its streams cut off as well it stays below what servers tolerate: Netty, SwiftNIO and nghttp2 allow from 200 in
    /// half a minute on.
    public static let sessionResets = 50
}
