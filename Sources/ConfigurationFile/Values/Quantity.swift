/// Numbers with units, in the notation of the file.
enum Quantity {
    /// Parses up to eighteen decimal digits. Nil for any other text.
    static func digits(_ text: Substring) -> Int? {
        guard (1...18).contains(text.utf8.count),
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else {
            return nil
        }
        return Int(text)
    }

    /// Parses a duration: `500ms`, `30s`, `5m`, `2h`, `1d`; 0 needs no unit. Nil for any other text, and for a number
    /// above a billion.
    static func duration(_ text: String) -> Duration? {
        guard text != "0" else { return .zero }
        let (number, unit) = split(text)
        guard let count = digits(number), count <= 1_000_000_000 else { return nil }
        switch unit {
        case "ms": return .milliseconds(count)
        case "s": return .seconds(count)
        case "m": return .seconds(count * 60)
        case "h": return .seconds(count * 3600)
        case "d": return .seconds(count * 86_400)
        default: return nil
        }
    }

    /// Parses a size into bytes: `512B`, `16KiB`, `1MiB`, `2GiB`; 0 needs no unit. Nil for any other text, and for a
    /// size that overflows.
    static func byteCount(_ text: String) -> Int? {
        guard text != "0" else { return 0 }
        let (number, unit) = split(text)
        guard let count = digits(number), let factor = units.first(where: { $0.name == unit })?.factor else {
            return nil
        }
        let (bytes, overflow) = count.multipliedReportingOverflow(by: factor)
        return overflow ? nil : bytes
    }

    /// Correct spelling of a size such as `16k`, `16kb` or `16384`. Nil if it cannot be guessed.
    static func nearestByteCount(_ text: String) -> String? {
        let (number, unit) = split(text)
        guard let count = digits(number) else { return nil }
        switch unit.lowercased() {
        case "": return self.text(ofBytes: count)
        case "b": return "\(count)B"
        case "k", "kb", "kib", "ki": return "\(count)KiB"
        case "m", "mb", "mib", "mi": return "\(count)MiB"
        case "g", "gb", "gib", "gi": return "\(count)GiB"
        default: return nil
        }
    }

    /// Formats a count with its noun: `1 rule`, `2 rules`.
    static func text(of count: Int, _ what: String) -> String {
        count == 1 ? "1 \(what)" : "\(count) \(what)s"
    }

    static func text(of duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        guard attoseconds == 0 else { return "\(seconds * 1000 + attoseconds / 1_000_000_000_000_000)ms" }
        if seconds > 0, seconds % 86_400 == 0 { return "\(seconds / 86_400)d" }
        if seconds > 0, seconds % 3600 == 0 { return "\(seconds / 3600)h" }
        return "\(seconds)s"
    }

    static func text(ofBytes count: Int) -> String {
        let unit = units.last { count > 0 && count % $0.factor == 0 }
        return unit.map { "\(count / $0.factor)\($0.name)" } ?? "\(count)"
    }

    private static let units: [(name: String, factor: Int)] = [
        ("B", 1), ("KiB", 1024), ("MiB", 1024 * 1024), ("GiB", 1024 * 1024 * 1024),
    ]

    private static func split(_ text: String) -> (number: Substring, unit: String) {
        let number = text.prefix { $0.isASCII && $0.isNumber }
        return (number, String(text[number.endIndex...]))
    }
}
