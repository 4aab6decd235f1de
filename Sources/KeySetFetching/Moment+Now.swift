import FoundationEssentials
import KeySets
import TokenVerification

extension Moment {
    /// Both clocks, read at the same time.
    public static var now: Moment {
        Moment(instant: .now, date: NumericDate(clock: Date().timeIntervalSince1970))
    }
}

extension Double {
    /// A random number in 0..<1. It spreads actions that many gateways would otherwise take in the same second.
    static var jitter: Double { random(in: 0..<1) }
}

extension ProxyEnvironment {
    /// The environment variables of this process.
    public static var ofProcess: ProxyEnvironment {
        ProxyEnvironment(environment: ProcessInfo.processInfo.environment)
    }
}
