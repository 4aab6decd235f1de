/// Times of UTC as the gateway writes them: `2026-11-22T10:00:00Z`, also with a fraction of a second (RFC 3339 §5.6).
struct WrittenTime: Hashable {
    /// Whole seconds since 1970.
    let seconds: Int64

    /// Reads a time. Nil if it is written in another way. Days beyond the end of a month are not found.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z"), Self.hasMarks(bytes) else { return nil }
        let numbers = [0..<4, 5..<7, 8..<10, 11..<13, 14..<16, 17..<19].compactMap { Self.number(bytes[$0]) }
        guard numbers.count == 6, (1...12).contains(numbers[1]), (1...31).contains(numbers[2]) else { return nil }
        let days = Self.days(year: numbers[0], month: numbers[1], day: numbers[2])
        seconds = ((days &* 24 &+ numbers[3]) &* 60 &+ numbers[4]) &* 60 &+ numbers[5]
    }

    private static func hasMarks(_ bytes: [UInt8]) -> Bool {
        zip([4, 7, 10, 13, 16], "--T::".utf8).allSatisfy { index, mark in bytes.dropFirst(index).first == mark }
    }

    /// The number that the digits are. Nil if another byte is among them.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        digits.reduce(Int64?(0)) { number, byte in
            guard let number, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            return number &* 10 &+ Int64(byte &- UInt8(ascii: "0"))
        }
    }

    /// Days since 1970-01-01 in the Gregorian calendar, by years that begin with March, so that a leap day is the last.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let years = month > 2 ? year : year &- 1
        let months = (month &+ 9) % 12
        let inYear = (153 &* months &+ 2) / 5 &+ day &- 1
        return years &* 365 &+ years / 4 &- years / 100 &+ years / 400 &+ inYear &- 719_468
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
