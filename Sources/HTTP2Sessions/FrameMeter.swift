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

/// Account of what a client's frames may cost, compared with the useful work that they carry (RFC 9113 §10.5).
///
/// A PING for each message of a call is fine, and a flood of them without a message is not, whatever their number.
/// There are two accounts: one for frames that only cost an answer, or nothing, and one for requests that are begun in
/// vain, which cost most. Each begins with a free allowance, which is granted again after a while.
package struct FrameBudget {
    /// For frames that carry no request and no content.
    private var control: Account
    /// For streams that the client resets, and those that it makes us reset (CVE-2023-44487, CVE-2025-8671).
    private var resets: Account
    private let completionEarns: Int

    /// - Parameters:
    ///   - period: after how many ticks the allowance is there again: those of thirty seconds.
    ///   - tick: the present one.
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

    /// Counts a frame of the client's; false if it is more than the client may cost.
    package mutating func received(_ frame: FrameScanner.Frame, at tick: UInt64) -> Bool {
        switch frame.kind {
        case .data where frame.content > 0:
            control.earn(Cost.earned(by: frame))
            return true
        // The ends of requests, and their beginnings, which the library bounds in size and the gateway in number.
        case .data where frame.endsStream, .headers: return true
        case .continuation where frame.content > 0: return true
        case .resetStream: return resets.spend(Cost.reset, at: tick)
        case .windowUpdate: return control.spend(Cost.windowUpdate, at: tick)
        case .data, .priority, .settings, .pushPromise, .ping, .goAway, .continuation, nil:
            return control.spend(Cost.control, at: tick)
        }
    }

    /// Counts a frame of the gateway's; false if the client brought about more of them than it may.
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

    /// Not NO_ERROR, INTERNAL_ERROR, REFUSED_STREAM or CANCEL: they are not the peer's doing.
    private static func isOfPeersMaking(_ code: UInt32) -> Bool {
        switch code {
        case 1, 3, 5, 6, 11: true
        default: false
        }
    }

    /// In units of the cheapest frame, which a client may send for each piece that it has read.
    private enum Cost {
        static let windowUpdate = 1
        static let control = 4
        static let reset = 2

        /// A frame with content pays for a few others, and for the windows that the client then opens again.
        static func earned(by frame: FrameScanner.Frame) -> Int { 4 &* control &+ frame.content / 512 &* windowUpdate }
    }

    /// The free allowance of a period, and the most that a peer can save.
    private struct Allowance {
        var frames = 200
        var savedFrames = 1000
        var resets = 200
        var savedResets = 400
        /// What a completed response pays for.
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

    /// So much may be spent in a period, and what was earned besides.
    private struct Account {
        private var balance: Int
        /// The tick from which it can be filled again.
        private var nextFilling: UInt64
        private let allowance: Int
        private let ceiling: Int
        private let period: UInt64

        /// - Parameter ceiling: what can be saved for later.
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

/// Reads frame headers (RFC 9113 §4.1) from the bytes that pass, however they are split.
package struct FrameScanner {
    /// Payload to skip before the next head.
    private var skipped: Int
    /// The head that has begun, and what is wanted of its payload.
    private var head = [13 of UInt8](repeating: 0)
    private var headCount = 0

    private static let headLength = 9

    /// - Parameter skipped: bytes before the first frame: a client's preface.
    package init(skipping skipped: Int = 0) {
        self.skipped = skipped
    }

    /// The next frame whose head is complete; nil if all bytes are consumed.
    ///
    /// - Parameter index: where to continue reading; advanced past what was read.
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

    // MARK: The head, once it is complete

    private var length: Int { Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2]) }  // in bounds: of thirteen
    private var type: UInt8 { head[3] }  // in bounds: of thirteen
    private var flags: UInt8 { head[4] }  // in bounds: of thirteen

    /// The reserved bit is ignored.
    private var stream: Int32 {
        Int32(truncatingIfNeeded: (5...8).reduce(UInt32(0)) { $0 << 8 | UInt32(head[$1]) } & 0x7FFF_FFFF)
    }

    /// How many bytes of the payload say something about the frame: the length of DATA's padding, the code of a reset.
    private var wantedPayload: Int {
        switch type {
        case Frame.Kind.data.rawValue where flags & 0x8 != 0: min(1, length)
        case Frame.Kind.resetStream.rawValue: min(4, length)
        default: 0
        }
    }

    /// Of DATA, without its padding; the whole payload of others.
    private var content: Int {
        guard type == Frame.Kind.data.rawValue, flags & 0x8 != 0, length > 0 else { return length }
        return max(0, length &- 1 &- Int(head[9]))  // in bounds: of thirteen
    }

    private var errorCode: UInt32 {
        guard type == Frame.Kind.resetStream.rawValue else { return 0 }
        return (0..<wantedPayload).reduce(0) { $0 << 8 | UInt32(head[9 &+ $1]) }
    }

    /// What a frame's cost depends on.
    package struct Frame: Hashable {
        /// Types that have a cost of their own (RFC 9113 §6).
        enum Kind: UInt8 {
            case data, headers, priority, resetStream, settings, pushPromise, ping, goAway, windowUpdate, continuation
        }

        let type: UInt8
        var stream: Int32 = 0
        /// In bytes.
        var content = 0
        var endsStream = false
        /// Of RST_STREAM.
        var errorCode: UInt32 = 0

        var kind: Kind? { Kind(rawValue: type) }
    }
}
