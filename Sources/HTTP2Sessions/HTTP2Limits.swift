/// What a peer may make a session hold, in bytes unless stated otherwise.
public struct HTTP2Limits: Hashable, Sendable {
    /// Streams at once: those that a client may open, or those that we open to an upstream.
    public var concurrentStreams: Int
    /// A field section, measured as the lines that it is in HTTP/1.1; of a crumb of `Cookie` its value and 34 count.
    /// One that is larger is reported as too large; one that is ``hardFactor`` times as large resets its stream. The
    /// peer hears of it as SETTINGS_MAX_HEADER_LIST_SIZE, for which it counts more (RFC 9113 §6.5.2).
    public var fieldSection: Int
    /// The number of lines that a section is in HTTP/1.1.
    public var fields: Int
    /// What a peer may send ahead on one stream.
    public var streamWindow: Int
    /// What it may send ahead on all streams together.
    public var connectionWindow: Int
    /// What waits of a stream's content: above the upper bound `append` asks to pause, and at the lower bound
    /// ``HTTP2Event/queueDrained(_:)`` follows.
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

    /// How many crumbs a `Cookie` may come in, empty ones too.
    static let cookieCrumbs = 256
    /// A section beyond this multiple of a limit gets no response.
    static let hardFactor = 4
    /// Keeps every sum of sizes far from integer overflow.
    private static let largestSection = 1 << 27

    /// Streams that were refused or reset, and whose RST_STREAM is not sent yet; they exist besides those that are
    /// served.
    var endingStreams: Int { max(100, concurrentStreams) }

    /// What a field section may take on the wire; beyond it the connection ends. Far above what a section that is
    /// only to be reset takes: of a literal at most a few bytes are neither name nor value.
    var encodedSection: Int { max(1 << 20, 8 &* fieldSection) }
}
