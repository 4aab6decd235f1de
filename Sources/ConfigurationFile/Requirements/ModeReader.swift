import AccessControl
import TokenVerification

/// Reads `mode`.
enum ModeReader {
    /// Time before the end of an observed mode from which warnings are given.
    private static let notice = Duration.seconds(7 * 86_400)

    /// Reads the mode. Nil if it is invalid, which was then reported.
    static func read(_ value: Value) -> EnforcementMode? {
        guard value.isMapping else {
            guard let text = value.someText(expected: "`enforce`, or {observe: {until: …}}") else { return nil }
            if text == ModeKeys.enforce { return .enforce }
            let hint =
                text == ModeKeys().observe.name ? ObserveKeys.example : "write `enforce`, or {observe: {until: …}}"
            return value.refuse("`\(text)` is not known here", hint: hint)
        }
        return Section(value, of: ModeKeys.self)?.required(\.observe).map { .observe(until: $0) }
    }

    /// Reads `until`, a day or a time at which observing ends. Warns if the time is past or near. Nil after an error,
    /// which is reported.
    static func end(_ value: Value) -> NumericDate? {
        guard let time = time(value) else { return nil }
        warn(value, time)
        return time
    }

    /// Reads a day or a time. Nil after an error, which is reported.
    static func time(_ value: Value) -> NumericDate? {
        guard let text = value.someText(expected: "a day such as 2026-12-24") else { return nil }
        return day(text) ?? moment(text)
            ?? value.refuse(
                "`\(text)` is neither a day nor a time",
                hint: "write 2026-12-24, or a time such as 2026-12-24T18:00:00Z")
    }

    /// Parses a day; the result is its beginning in UTC. Nil for any other text.
    private static func day(_ text: String) -> NumericDate? {
        let midnight = "T00:00:00Z"
        guard text.utf8.count == 10, let time = NumericDate(written: text + midnight), "\(time)" == text + midnight
        else {
            return nil
        }
        return time
    }

    /// Parses a point in time. Nil for any other text, and for a number alone, which could be a year as well as
    /// seconds.
    private static func moment(_ text: String) -> NumericDate? {
        text.utf8.contains(UInt8(ascii: ":")) ? NumericDate(written: text) : nil
    }

    private static func warn(_ value: Value, _ end: NumericDate) {
        let now = value.reading.now
        if now >= end {
            value.warnOfTime("this time is over: requests that are not permitted are refused", hint: "take `mode` out")
        } else if now >= end - notice {
            let days = Int(((end.seconds - now.seconds) / 86_400).rounded(.up))
            value.warnOfTime(
                "in \(days) day\(days == 1 ? "" : "s") requests that are not permitted will be refused",
                hint: "see what `would` in the access log says, and take `mode` out or move the day")
        }
    }
}
