import NetworkNames

extension Span<UInt8> {
    /// True if both have the same bytes. Compared in words of eight bytes.
    public func equals(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        guard count >= 8 else {
            for index in indices where self[index] != other[index] { return false }
            return true
        }
        let (left, right) = unsafe (bytes, other.bytes)
        var index = 0
        while true {
            // The last word may overlap the one before. SAFETY: eight bytes from here on are within both.
            index = Swift.min(index, count &- 8)
            let (one, two) = unsafe (
                left.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self),
                right.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
            )
            guard one == two else { return false }
            index &+= 8
            if index == count { return true }
        }
    }

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
}
