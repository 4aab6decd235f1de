import NetworkNames

extension Span<UInt8> {
    /// True if these are exactly the bytes of a text.
    func equals(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { text in
            guard count == text.count else { return false }
            for index in indices where unsafe self[index] != text[index] { return false }
            return true
        }
    }

    /// True if both have the same bytes, ignoring case.
    func equalsIgnoringCase(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in indices where ASCII.lowercased(self[index]) != ASCII.lowercased(other[index]) { return false }
        return true
    }

    /// True if both have the same folded bytes: case is ignored, and every character except letters and digits counts
    /// as `-`.
    func equalsFolded(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in indices where ASCII.folded(self[index]) != ASCII.folded(other[index]) { return false }
        return true
    }

    /// True if these bytes begin with a text, ignoring case.
    func hasPrefix(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { text in
            guard count >= text.count else { return false }
            return unsafe extracting(first: text.count).equalsIgnoringCase(text.span)
        }
    }

    /// True if these are the bytes of a text, ignoring case.
    func equalsIgnoringCase(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { unsafe equalsIgnoringCase($0.span) }
    }
}
