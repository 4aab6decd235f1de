import ProxySettings
import TokenVerification

/// Watches how fast a request's body is received, over one period after another.
struct BodyRate {
    /// When the present period ends; nil before the first.
    private var end: UInt64?
    private var byteCountAtStart = 0

    /// The least that must be received within a period.
    struct Least {
        /// The length of a period: no shorter than the idle timeout of a body.
        let window: TickCount
        let byteCount: Int

        /// - Parameter rate: in bytes a second; 0: nothing is too little.
        init?(rate: Int, pause: Duration) {
            guard rate > 0 else { return nil }
            let seconds = max(FixedLimits.bodyRateWindow, pause).inSeconds
            window = TickCount(.seconds(seconds))
            byteCount = Int(min(Double(rate) * seconds, 1e15))
        }
    }

    /// Whether a period ended in which less was received than the least.
    ///
    /// - Parameter byteCount: all bytes of the request received so far.
    mutating func isTooLow(byteCount: Int, least: Least, at tick: UInt64) -> Bool {
        guard let end else {
            begin(least, byteCount, at: tick)
            return false
        }
        guard end <= tick else { return false }
        let isTooLow = byteCount &- byteCountAtStart < least.byteCount
        begin(least, byteCount, at: tick)
        return isTooLow
    }

    private mutating func begin(_ least: Least, _ byteCount: Int, at tick: UInt64) {
        end = tick &+ least.window.count
        byteCountAtStart = byteCount
    }
}
