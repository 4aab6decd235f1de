/// Holds a peer to what its frames may cost, before the library reads them: it sees every frame, those included that
/// the library skips without a callback.
struct FrameMeter {
    private var scanner: FrameScanner
    private var budget: FrameBudget
    /// Of the field section that is being received, on the wire.
    private var sectionBytes = 0
    private var sectionFrames = 0
    private let sectionLimit: Int
    /// Whether the peer's errors made us send too many frames.
    private(set) var isOverdrawn = false

    /// A CONTINUATION carries 16 KiB, so this is far above need.
    static let sectionFrames = 128

    init(for peer: HTTP2Peer, limits: HTTP2Limits, budgetPeriod: UInt64, at tick: UInt64) {
        scanner = FrameScanner(skipping: peer == .upstream ? 0 : Self.prefaceLength)
        budget = FrameBudget(for: peer, period: budgetPeriod, at: tick)
        sectionLimit = limits.encodedSection
    }

    private static let prefaceLength = 24

    /// Counts the frames that begin in the bytes.
    ///
    /// - Parameter judge: the session's own check of a frame of a stream.
    /// - Returns: why the connection ends, if it does; the bytes are not worth reading then.
    mutating func received(
        _ bytes: Span<UInt8>, at tick: UInt64, judge: (FrameScanner.Frame) -> ConnectionFailure?
    ) -> ConnectionFailure? {
        var index = 0
        while let frame = scanner.next(in: bytes, at: &index) {
            guard budget.received(frame, at: tick) else { return .budgetOverdrawn }
            guard countSection(frame) else { return .fieldSectionTooLong }
            if let failure = judge(frame) { return failure }
        }
        return isOverdrawn ? .budgetOverdrawn : nil
    }

    mutating func sent(_ frame: FrameScanner.Frame, at tick: UInt64) {
        if !budget.sent(frame, at: tick) { isOverdrawn = true }
    }

    /// CONTINUATIONs without end are the cheapest way to make a peer work (CVE-2024-27316 and its kin).
    private mutating func countSection(_ frame: FrameScanner.Frame) -> Bool {
        switch frame.kind {
        case .headers: (sectionBytes, sectionFrames) = (frame.content, 0)
        case .continuation:
            sectionBytes &+= frame.content
            sectionFrames &+= 1
        default: return true
        }
        return sectionBytes <= sectionLimit && sectionFrames <= Self.sectionFrames
    }
}
