extension Value {
    /// Reads `true` or `false`; YAML 1.1's other spellings are errors. Nil after an error, which is reported.
    func boolean() -> Bool? {
        let expected = "`true` or `false`"
        guard let scalar = scalar(expected: expected) else { return nil }
        switch scalar.text {
        case "true" where scalar.isPlain: return true
        case "false" where scalar.isPlain: return false
        case "true", "false": report("`\(scalar.text)` in quotes is text", hint: "write it without quotes")
        default: report("`\(scalar.text)` is not \(expected)")
        }
        return nil
    }

    /// Reads a whole number in decimal digits. Nil after an error, which is reported.
    func integer(in range: ClosedRange<Int>) -> Int? {
        guard let text = text(expected: "a whole number") else { return nil }
        guard let number = Quantity.digits(text[...]) else {
            return refuse("`\(text)` is not a whole number", hint: "write \(range.lowerBound) to \(range.upperBound)")
        }
        guard range.contains(number) else {
            return refuse("\(number) is out of range", hint: "write \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Reads a duration such as `30s`, `5m` or `2h`. Nil after an error, which is reported.
    func duration(in range: ClosedRange<Duration>) -> Duration? {
        guard let text = text(expected: "a duration such as `30s`") else { return nil }
        guard let duration = Quantity.duration(text) else {
            let hint =
                Quantity.digits(text[...]).map { "write `\($0)s`" } ?? "write a duration such as `30s`, `5m` or `2h`"
            return refuse("`\(text)` is not a duration", hint: hint)
        }
        guard range.contains(duration) else {
            let bounds = "\(Quantity.text(of: range.lowerBound)) to \(Quantity.text(of: range.upperBound))"
            return refuse("`\(text)` is out of range", hint: "write \(bounds)")
        }
        return duration
    }

    /// Reads a size such as `16KiB` or `1MiB`, in bytes. Nil after an error, which is reported.
    func byteCount(in range: ClosedRange<Int>) -> Int? {
        guard let text = text(expected: "a size such as `16KiB`") else { return nil }
        guard let count = Quantity.byteCount(text) else {
            return refuse("`\(text)` is not a size", hint: "write `\(Quantity.nearestByteCount(text) ?? "16KiB")`")
        }
        guard range.contains(count) else {
            let bounds = "\(Quantity.text(ofBytes: range.lowerBound)) to \(Quantity.text(ofBytes: range.upperBound))"
            return refuse("`\(text)` is out of range", hint: "write \(bounds)")
        }
        return count
    }

    /// True if the value is `off`, which means no bound.
    var isOff: Bool { isWord("off") }

    /// True if the value is text, and this word.
    func isWord(_ word: String) -> Bool {
        guard case .scalar(let scalar) = node.content else { return false }
        return scalar.text == word
    }
}
