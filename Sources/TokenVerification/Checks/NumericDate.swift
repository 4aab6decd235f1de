/// A JWT's NumericDate: seconds since 1970-01-01T00:00:00Z, leap seconds ignored, possibly with a fraction (RFC 7519
/// §2).
public struct NumericDate: Sendable, Hashable, Comparable {
    public var seconds: Double

    public init(seconds: Double) {
        self.seconds = seconds
    }

    /// Converts a reading of the wall clock, in seconds since 1970. Clamps it to the years 1970 to 9999.
    ///
    /// A clock can show any time. Results calculated from a clamped time fit into every number type.
    public init(clock seconds: Double) {
        self.init(seconds: min(max(seconds, 0), Self.latest.seconds))
    }

    /// The last second of year 9999. A token with a later `exp` is rejected.
    public static let latest = NumericDate(seconds: 253_402_300_799)

    /// Times that a correct clock can show: from 2026-11-01 until 2262, where 64 bits of nanoseconds overflow.
    public static let plausible = NumericDate(seconds: 1_793_491_200)..<NumericDate(seconds: 9_214_646_400)

    public static func < (left: NumericDate, right: NumericDate) -> Bool {
        left.seconds < right.seconds
    }

    public static func + (date: NumericDate, span: Duration) -> NumericDate {
        NumericDate(seconds: date.seconds + span.inSeconds)
    }

    public static func - (date: NumericDate, span: Duration) -> NumericDate {
        NumericDate(seconds: date.seconds - span.inSeconds)
    }
}

extension Duration {
    /// The duration in seconds, exact to well below a microsecond for every span a token or key set can have.
    public var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }
}
