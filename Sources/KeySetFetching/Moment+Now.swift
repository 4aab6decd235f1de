import FoundationEssentials
import KeySets
import TokenVerification

extension Moment {
    /// Both clocks, read now.
    public static var now: Moment {
        Moment(instant: .now, date: NumericDate(clock: Date().timeIntervalSince1970))
    }
}

extension Double {
    /// A random number in 0..<1, to spread what many gateways would otherwise do at the same second.
    static var jitter: Double { random(in: 0..<1) }
}

extension ProxyEnvironment {
    /// The environment variables of this process.
    public static var ofProcess: ProxyEnvironment {
        ProxyEnvironment(environment: ProcessInfo.processInfo.environment)
    }
}
