/// Limits the cost of a peer's frames before the library (nghttp2) reads them. It counts every frame, including those
/// that the library skips without a callback.
struct FrameMeter {
    private var scanner: FrameScanner
    private var budget: FrameBudget
    /// Encoded size of the field section that is being received, in bytes.
    private var sectionBytes = 0
    private var sectionFrames = 0
    private let sectionLimit: Int
    /// True if the peer's errors made us send too many frames.
    private(set) var isOverdrawn = false

    /// Limit on CONTINUATION frames in one section. Each carries 16 KiB, so this is far above need.
    static let sectionFrames = 128

    init(for peer: HTTP2Peer, limits: HTTP2Limits, budgetPeriod: UInt64, at tick: UInt64) {
        scanner = FrameScanner(skipping: peer == .upstream ? 0 : Self.prefaceLength)
        budget = FrameBudget(for: peer, period: budgetPeriod, at: tick)
        sectionLimit = limits.encodedSection
    }

    private static let prefaceLength = 24

    /// Counts the frames that begin in the bytes.
    ///
    /// - Parameter judge: The session's own check of each frame.
    /// - Returns: The connection error, or nil. After an error, do not parse the bytes.
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

    /// Counts CONTINUATION frames and section bytes. Endless CONTINUATIONs are the cheapest attack (CVE-2024-27316 and
    /// similar).
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

/// Cost account of a peer's frames, balanced by the useful work they carry (RFC 9113 §10.5).
///
/// A PING for each message of a call is fine. A flood of PINGs without messages is not, at any rate. There are two
/// accounts: one for frames that carry no work, and one for reset requests, the most expensive. Each starts with a free
/// allowance, which is granted again after a period.
package struct FrameBudget {
    /// Account for frames that carry neither a request nor content.
    private var control: Account
    /// Account for streams that the client resets, or makes us reset (CVE-2023-44487, CVE-2025-8671).
    private var resets: Account
    private let completionEarns: Int

    /// - Parameters:
    ///   - period: Ticks until the allowance is granted again (thirty seconds).
    ///   - tick: Current tick.
    package init(for peer: HTTP2Peer, period: UInt64, at tick: UInt64) {
        let allowance = Allowance(of: peer)
        control = Account(
            allowance: allowance.frames &* Cost.control, ceiling: allowance.savedFrames &* Cost.control, period: period,
            at: tick)
        resets = Account(
            allowance: allowance.resets &* Cost.reset, ceiling: allowance.savedResets &* Cost.reset, period: period,
            at: tick)
        completionEarns = allowance.completionEarns
    }

    /// Counts a frame from the peer. False if the peer exceeded its budget.
    package mutating func received(_ frame: FrameScanner.Frame, at tick: UInt64) -> Bool {
        switch frame.kind {
        case .data where frame.content > 0:
            control.earn(Cost.earned(by: frame))
            return true
        // The library bounds the size of requests, and the gateway their number.
        case .data where frame.endsStream, .headers: return true
        case .continuation where frame.content > 0: return true
        case .resetStream: return resets.spend(Cost.reset, at: tick)
        case .windowUpdate: return control.spend(Cost.windowUpdate, at: tick)
        case .data, .priority, .settings, .pushPromise, .ping, .goAway, .continuation, nil:
            return control.spend(Cost.control, at: tick)
        }
    }

    /// Counts a frame from the gateway. False if the peer caused more of them than its budget allows.
    package mutating func sent(_ frame: FrameScanner.Frame, at tick: UInt64) -> Bool {
        switch frame.kind {
        case .headers, .data:
            if frame.content > 0 { control.earn(Cost.earned(by: frame)) }
            if frame.endsStream { resets.earn(completionEarns) }
            return true
        case .resetStream where Self.isOfPeersMaking(frame.errorCode): return resets.spend(Cost.reset, at: tick)
        default: return true
        }
    }

    /// True for errors that the peer caused: not NO_ERROR, INTERNAL_ERROR, REFUSED_STREAM or CANCEL.
    private static func isOfPeersMaking(_ code: UInt32) -> Bool {
        switch code {
        case 1, 3, 5, 6, 11: true
        default: false
        }
    }

    /// Cost of frames, in units of the cheapest: WINDOW_UPDATE, which a client may send for each piece it reads.
    private enum Cost {
        static let windowUpdate = 1
        static let control = 4
        static let reset = 2

        /// Amount that a frame with content earns: a few other frames, and WINDOW_UPDATEs for its content.
        static func earned(by frame: FrameScanner.Frame) -> Int { 4 &* control &+ frame.content / 512 &* windowUpdate }
    }

    /// Free allowance of a period, and the most that a peer can save up.
    private struct Allowance {
        var frames = 200
        var savedFrames = 1000
        var resets = 200
        var savedResets = 400
        /// Amount that a completed response earns.
        var completionEarns = Cost.reset / 2

        init(of peer: HTTP2Peer) {
            switch peer {
            case .client: break
            case .trustedProxy:
                savedResets = 2000
                completionEarns = 2 &* Cost.reset
            case .upstream:
                (frames, savedFrames, resets, savedResets) = (10_000, 10_000, 10_000, 10_000)
                completionEarns = 2 &* Cost.reset
            }
        }
    }

    /// Balance of the allowance of a period and the amounts earned.
    private struct Account {
        private var balance: Int
        /// Tick from which the allowance can be granted again.
        private var nextFilling: UInt64
        private let allowance: Int
        private let ceiling: Int
        private let period: UInt64

        /// - Parameter ceiling: The most that the balance can reach by earning.
        init(allowance: Int, ceiling: Int, period: UInt64, at tick: UInt64) {
            balance = allowance
            self.allowance = allowance
            self.ceiling = ceiling
            self.period = period
            nextFilling = tick &+ period
        }

        mutating func earn(_ amount: Int) {
            balance = min(balance &+ amount, ceiling)
        }

        mutating func spend(_ amount: Int, at tick: UInt64) -> Bool {
            if balance < amount, nextFilling <= tick {
                balance = allowance
                nextFilling = tick &+ period
            }
            guard balance >= amount else { return false }
            balance &-= amount
            return true
        }
    }
}

/// Reads frame headers (RFC 9113 §4.1) from received bytes, however they are split.
package struct FrameScanner {
    /// Payload bytes to skip before the next frame header.
    private var skipped: Int
    /// Frame header read so far, followed by the first payload bytes, if they are needed.
    private var head = [13 of UInt8](repeating: 0)
    private var headCount = 0

    private static let headLength = 9

    /// - Parameter skipped: Bytes before the first frame, such as the client's preface.
    package init(skipping skipped: Int = 0) {
        self.skipped = skipped
    }

    /// Reads the next frame header. Nil if all bytes are consumed.
    ///
    /// - Parameter index: Offset to continue reading at; advanced past the bytes read.
    package mutating func next(in bytes: Span<UInt8>, at index: inout Int) -> Frame? {
        let count = min(skipped, bytes.count &- index)
        index &+= count
        skipped &-= count
        guard skipped == 0 else { return nil }
        while headCount < Self.headLength || headCount < Self.headLength &+ wantedPayload {
            guard index < bytes.count, head.indices.contains(headCount) else { return nil }
            head[headCount] = bytes[index]
            headCount &+= 1
            index &+= 1
        }
        skipped = length &- wantedPayload
        headCount = 0
        return Frame(
            type: type, stream: stream, content: content, endsStream: type <= 1 && flags & 0x1 != 0,
            errorCode: errorCode)
    }

    // MARK: The header, once it is complete

    private var length: Int { Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2]) }  // in bounds: of thirteen
    private var type: UInt8 { head[3] }  // in bounds: of thirteen
    private var flags: UInt8 { head[4] }  // in bounds: of thirteen

    /// Stream identifier, without the reserved bit.
    private var stream: Int32 {
        Int32(truncatingIfNeeded: (5...8).reduce(UInt32(0)) { $0 << 8 | UInt32(head[$1]) } & 0x7FFF_FFFF)
    }

    /// Number of payload bytes needed: 1 for the pad length of DATA, 4 for the error code of RST_STREAM.
    private var wantedPayload: Int {
        switch type {
        case Frame.Kind.data.rawValue where flags & 0x8 != 0: min(1, length)
        case Frame.Kind.resetStream.rawValue: min(4, length)
        default: 0
        }
    }

    /// Size of the payload, without the padding of DATA.
    private var content: Int {
        guard type == Frame.Kind.data.rawValue, flags & 0x8 != 0, length > 0 else { return length }
        return max(0, length &- 1 &- Int(head[9]))  // in bounds: of thirteen
    }

    private var errorCode: UInt32 {
        guard type == Frame.Kind.resetStream.rawValue else { return 0 }
        return (0..<wantedPayload).reduce(0) { $0 << 8 | UInt32(head[9 &+ $1]) }
    }

    /// Properties of a frame that its cost depends on.
    package struct Frame: Hashable {
        /// Frame types with their own cost (RFC 9113 §6).
        enum Kind: UInt8 {
            case data, headers, priority, resetStream, settings, pushPromise, ping, goAway, windowUpdate, continuation
        }

        let type: UInt8
        var stream: Int32 = 0
        /// Size of the payload in bytes, without the padding of DATA.
        var content = 0
        var endsStream = false
        /// Error code of RST_STREAM; 0 for other types.
        var errorCode: UInt32 = 0

        var kind: Kind? { Kind(rawValue: type) }
    }
}
