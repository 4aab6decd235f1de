/// Numbers and durations as the page shows them. The page's script writes them in the same way.
enum ShownNumber {
    /// A count with a comma between thousands: `1,204`.
    static func count(_ count: UInt64) -> String {
        let digits = String(count)
        var text = ""
        for (index, digit) in digits.enumerated() {
            let rest = digits.count &- index
            if index > 0, rest.isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return text
    }

    /// A rate with one decimal place; without one from 100.
    static func rate(_ rate: Double) -> String {
        guard rate.isFinite, rate >= 0, rate < 1e15 else { return "–" }
        return rate >= 100 ? count(UInt64(rate.rounded())) : tenths(rate)
    }

    /// A duration in milliseconds, or in seconds from one second. A dash if there is none.
    ///
    /// - Parameter seconds: nil if there is none.
    static func duration(_ seconds: Double?) -> String {
        guard let seconds, seconds.isFinite, seconds >= 0, seconds < 1e9 else { return "–" }
        if seconds >= 1 { return "\(tenths(seconds)) s" }
        let milliseconds = seconds.milliseconds
        return milliseconds >= 10 ? "\(UInt64(milliseconds.rounded())) ms" : "\(tenths(milliseconds)) ms"
    }

    /// A time span in its two greatest units; minutes and seconds stand alone: `3 d 4 h`, `12 min`.
    static func span(_ span: Duration) -> String {
        let seconds = UInt64(max(0, span.components.seconds))
        let parts = [
            ("d", seconds / 86_400), ("h", seconds / 3_600 % 24), ("min", seconds / 60 % 60), ("s", seconds % 60),
        ]
        guard let first = parts.firstIndex(where: { $0.1 > 0 }) else { return "0 s" }
        let used = parts[first...].prefix(first < 2 ? 2 : 1).filter { $0.1 > 0 }
        return used.map { "\($0.1) \($0.0)" }.joined(separator: " ")
    }

    private static func tenths(_ number: Double) -> String { "\((number / 0.1).rounded() / 10)" }
}
