/// What a client's frames may cost, held against the work that they come with (RFC 9113 §10.5).
///
/// A PING for each message of a call is fine, and a flood of them without a message is not, whatever their number.
/// There are two accounts: one for frames that only cost an answer, or nothing, and one for requests that are begun in
/// vain, which cost most. Each begins with what a client may spend for nothing, and has that again after a while.
struct FrameBudget {
    /// For frames that carry no request and no content.
    private var control: Account
    /// For streams that the client resets, and those that it makes us reset (CVE-2023-44487, CVE-2025-8671).
    private var resets: Account
    private let completionEarns: Int

    /// Many users share a trusted proxy's connection, and any of them may give up.
    ///
    /// - Parameters:
    ///   - peerIsTrusted: whether the peer is one of `trusted_proxies`.
    ///   - tick: the present one.
    init(peerIsTrusted: Bool, at tick: UInt64) {
        control = Account(allowance: 200 * Cost.control, ceiling: 1000 * Cost.control, at: tick)
        resets = Account(allowance: 200 * Cost.reset, ceiling: (peerIsTrusted ? 2000 : 400) * Cost.reset, at: tick)
        completionEarns = peerIsTrusted ? 2 * Cost.reset : Cost.reset / 2
    }

    /// Counts a frame of the client's; false if it is more than the client may cost.
    mutating func received(_ frame: FrameScanner.Frame, at tick: UInt64) -> Bool {
        switch frame.kind {
        case .data where frame.content > 0:
            control.earn(Cost.earned(by: frame))
            return true
        // The ends of requests, and their beginnings, which the library bounds in size and the gateway in number.
        case .data where frame.endsStream, .headers, .continuation: return true
        case .resetStream: return resets.spend(Cost.reset, at: tick)
        case .windowUpdate: return control.spend(Cost.windowUpdate, at: tick)
        case .data, .priority, .settings, .pushPromise, .ping, .goAway, nil:
            return control.spend(Cost.control, at: tick)
        }
    }

    /// Counts a frame of the gateway's; false if the client brought about more of them than it may.
    mutating func sent(_ frame: FrameScanner.Frame, at tick: UInt64) -> Bool {
        switch frame.kind {
        case .headers, .data:
            if frame.content > 0 { control.earn(Cost.earned(by: frame)) }
            if frame.endsStream { resets.earn(completionEarns) }
            return true
        // Not NO_ERROR, INTERNAL_ERROR, REFUSED_STREAM or CANCEL: they are not the client's doing.
        case .resetStream where [1, 3, 5, 6].contains(frame.errorCode): return resets.spend(Cost.reset, at: tick)
        default: return true
        }
    }

    /// In units of the cheapest frame, which a client may send for each piece that it has read.
    private enum Cost {
        static let windowUpdate = 1
        static let control = 4
        static let reset = 2

        /// A frame with content pays for a few others, and for the windows that the client then opens again.
        static func earned(by frame: FrameScanner.Frame) -> Int { 4 * control + frame.content / 512 * windowUpdate }
    }

    /// So much may be spent in thirty seconds, and what was earned besides.
    private struct Account {
        private var balance: Int
        /// The tick from which it can be filled again.
        private var nextFilling: UInt64
        private let allowance: Int
        private let ceiling: Int

        private static let period = TickCount(.seconds(30))

        /// - Parameter ceiling: what can be saved for later.
        init(allowance: Int, ceiling: Int, at tick: UInt64) {
            balance = allowance
            self.allowance = allowance
            self.ceiling = ceiling
            nextFilling = tick &+ Self.period.count
        }

        mutating func earn(_ amount: Int) {
            balance = min(balance + amount, ceiling)
        }

        mutating func spend(_ amount: Int, at tick: UInt64) -> Bool {
            if balance < amount, nextFilling <= tick {
                balance = allowance
                nextFilling = tick &+ Self.period.count
            }
            guard balance >= amount else { return false }
            balance -= amount
            return true
        }
    }
}
