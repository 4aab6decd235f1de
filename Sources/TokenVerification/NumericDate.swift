/// A JWT's NumericDate: seconds since 1970-01-01T00:00:00Z, leap seconds ignored, possibly with a fraction (RFC 7519 §2).
public struct NumericDate: Sendable, Hashable, Comparable {
    public var seconds: Double

    public init(seconds: Double) {
        self.seconds = seconds
    }

    /// The last second of year 9999; nothing later is a date a token may carry.
    public static let latest = NumericDate(seconds: 253_402_300_799)

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
