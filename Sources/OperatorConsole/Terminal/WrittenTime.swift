import FoundationEssentials

/// Times of UTC as the gateway writes them: `2026-11-22T10:00:00Z`, also with a fraction of a second (RFC 3339 §5.6).
struct WrittenTime: Hashable {
    /// Whole seconds since 1970.
    let seconds: Int64

    /// Reads a time. Nil if it is written in another way.
    init?(_ text: String) {
        let format = Date.ISO8601FormatStyle(includingFractionalSeconds: text.utf8.contains(UInt8(ascii: ".")))
        guard text.utf8.last == UInt8(ascii: "Z"), let date = try? format.parse(text),
            let seconds = Int64(exactly: date.timeIntervalSince1970.rounded(.down))
        else { return nil }
        self.seconds = seconds
    }

    /// Time from another one until this one, in words: `in 5 min`, `3 h ago`.
    func words(since now: WrittenTime) -> String {
        let difference = seconds &- now.seconds
        let span = ShownNumber.span(.seconds(Int64(clamping: difference.magnitude)))
        return difference < 0 ? "\(span) ago" : "in \(span)"
    }

    /// Time of day of a written time. The text itself, if it is written in another way.
    static func clock(_ text: String) -> String {
        guard WrittenTime(text) != nil else { return text }
        return String(text.dropFirst(11).prefix(8))
    }
}
