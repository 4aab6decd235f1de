/// Limits on what a session holds for its peer, in bytes unless stated otherwise.
public struct HTTP2Limits: Hashable, Sendable {
    /// Largest number of open streams: those a client may open, or those we open to an upstream.
    public var concurrentStreams: Int
    /// Size of a field section as HTTP/1.1 lines. A `Cookie` crumb counts as its value plus 34. A larger section is
    /// reported as too large, and one ``hardFactor`` times as large resets its stream. Sent to the peer as
    /// SETTINGS_MAX_HEADER_LIST_SIZE, which counts more bytes a field (RFC 9113 §6.5.2).
    public var fieldSection: Int
    /// Number of HTTP/1.1 lines in a field section.
    public var fields: Int
    /// Flow-control window of one stream: bytes that the peer may send ahead.
    public var streamWindow: Int
    /// Flow-control window of the connection, for all streams together.
    public var connectionWindow: Int
    /// Water marks for the queued content of a stream. Above the upper bound `append` asks the caller to pause. At the
    /// lower bound ``HTTP2Event/queueDrained(_:)`` follows.
    public var queue: Range<Int>

    public init(
        concurrentStreams: Int = 100,
        fieldSection: Int = 32 * 1024,
        fields: Int = 100,
        streamWindow: Int = 65_535,
        connectionWindow: Int = 256 * 1024,
        queue: Range<Int> = 8 * 1024..<32 * 1024
    ) {
        self.concurrentStreams = min(max(concurrentStreams, 1), 0x3FFF_FFFF)
        self.fieldSection = min(max(fieldSection, 0), Self.largestSection)
        self.fields = min(max(fields, 0), Self.largestSection)
        self.streamWindow = min(max(streamWindow, 0), Int(Int32.max))
        self.connectionWindow = min(max(connectionWindow, 65_535), Int(Int32.max))
        self.queue = queue
    }

    /// Largest number of `Cookie` crumbs in a section, including empty ones.
    static let cookieCrumbs = 256
    /// Multiple of a limit above which a section gets no response; its stream is reset.
    static let hardFactor = 4
    /// Upper bound on limits, so that no sum of sizes overflows.
    private static let largestSection = 1 << 27

    /// Limit on refused or reset streams whose RST_STREAM is not sent yet. They exist besides the served streams.
    var endingStreams: Int { max(100, concurrentStreams) }

    /// Largest encoded size of a field section; beyond it the connection closes. Sections that only need a reset stay
    /// far below: a literal has at most a few bytes besides its name and value.
    var encodedSection: Int { max(1 << 20, 8 &* fieldSection) }
}
