import ProxySettings
import TokenVerification

/// Checks how fast a request's body is received, over one period after another.
struct BodyRate {
    /// Tick at which the current period ends. Nil before the first.
    private var end: UInt64?
    private var byteCountAtStart = 0

    /// Least number of bytes that must be received within a period.
    struct Least {
        /// Length of a period; at least the idle timeout of a body.
        let window: TickCount
        let byteCount: Int

        /// Makes the minimum for a rate. Nil if the rate is 0, which allows any speed.
        ///
        /// - Parameters:
        ///   - rate: bytes per second.
        ///   - pause: the idle timeout of a body.
        init?(rate: Int, pause: Duration) {
            guard rate > 0 else { return nil }
            let seconds = max(FixedLimits.bodyRateWindow, pause).inSeconds
            window = TickCount(.seconds(seconds))
            byteCount = Int(min(Double(rate) * seconds, 1e15))
        }
    }

    /// Returns true if a period ended in which too few bytes were received.
    ///
    /// - Parameter byteCount: number of the request's bytes received so far.
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
