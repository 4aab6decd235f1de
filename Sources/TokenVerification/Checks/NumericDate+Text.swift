import NetworkNames

extension NumericDate: CustomStringConvertible {
    /// The date in UTC in the format of RFC 3339, to the second: `2026-09-21T14:13:20Z`.
    public var description: String {
        guard seconds.isFinite, abs(seconds) <= Self.latest.seconds else { return "\(seconds)" }
        let whole = Int(seconds.rounded(.down))
        let second = ((whole % 86_400) + 86_400) % 86_400
        let date = CivilDate(daysSince1970: (whole - second) / 86_400)
        let time = [second / 3600, second / 60 % 60, second % 60].map { Self.padded($0, 2) }.joined(separator: ":")
        return "\(Self.padded(date.year, 4))-\(Self.padded(date.month, 2))-\(Self.padded(date.day, 2))T\(time)Z"
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
