/// What a client's frames may cost, compared with the useful work that they carry (RFC 9113 §10.5).
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
