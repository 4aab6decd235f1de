/// An IPv6 address by its value (RFC 4291 §2.2); zones are not read.
struct IPv6Address: Sendable, Hashable {
    /// Its first and its last eight bytes.
    let high: UInt64
    let low: UInt64

    /// Reads one of the textual forms; nil for everything else.
    init?(_ text: Span<UInt8>) {
        guard let groups = GroupReader.groups(of: text) else { return nil }
        high = Self.word(groups, from: 0)
        low = Self.word(groups, from: 4)
    }

    /// The byte at `index`, in network order.
    func byte(at index: Int) -> UInt8 {
        let word = index < 8 ? high : low
        return UInt8(truncatingIfNeeded: word >> UInt64(truncatingIfNeeded: (7 &- (index & 7)) &* 8))
    }

    private static func word(_ groups: InlineArray<8, UInt16>, from start: Int) -> UInt64 {
        var word: UInt64 = 0
        for index in start..<start &+ 4 { word = word << 16 | UInt64(groups[index]) }
        return word
    }
}

extension IPv6Address: CustomStringConvertible {
    /// All eight groups, without "::".
    var description: String {
        (0..<8).map { group in
            let word = group < 4 ? high : low
            return String(UInt16(truncatingIfNeeded: word >> UInt64(truncatingIfNeeded: (3 &- group & 3) &* 16)), radix: 16)
        }.joined(separator: ":")
    }
}

/// Reads groups from the left, and remembers where "::" stood.
private struct GroupReader {
    private var groups = InlineArray<8, UInt16>(repeating: 0)
    private var count = 0
    private var gap: Int?

    static func groups(of text: Span<UInt8>) -> InlineArray<8, UInt16>? {
        var reader = GroupReader()
        guard reader.read(text) else { return nil }
        return reader.spread()
    }

    private mutating func read(_ text: Span<UInt8>) -> Bool {
        var index = 0
        if isGap(text, at: 0) {
            gap = 0
            index = 2
        }
        while index < text.count {
            let digits = countOfDigits(text, from: index)
            let end = index &+ digits
            if end < text.count, text[end] == UInt8(ascii: ".") { return appendIPv4(text.extracting(index..<text.count)) }
            guard append(text.extracting(index..<end)) else { return false }
            guard end < text.count else { return true }
            guard text[end] == UInt8(ascii: ":") else { return false }
            index = end &+ 1
            if isGap(text, at: end) {
                guard gap == nil else { return false }
                gap = count
                index = end &+ 2
            } else if index == text.count {
                return false
            }
        }
        return gap != nil
    }

    /// "::" stands for at least one group.
    private func spread() -> InlineArray<8, UInt16>? {
        guard let gap else { return count == 8 ? groups : nil }
        guard count < 8 else { return nil }
        var spread = InlineArray<8, UInt16>(repeating: 0)
        let missing = 8 &- count
        for index in 0..<count { spread[index < gap ? index : index &+ missing] = groups[index] }
        return spread
    }

    private mutating func append(_ digits: Span<UInt8>) -> Bool {
        guard (1...4).contains(digits.count) else { return false }
        var value: UInt16 = 0
        for index in digits.indices {
            guard let digit = PathCharacters.digit(digits[index]) else { return false }
            value = value << 4 | UInt16(truncatingIfNeeded: digit)
        }
        return append(group: value)
    }

    private mutating func append(group: UInt16) -> Bool {
        guard count < 8 else { return false }
        groups[count] = group
        count &+= 1
        return true
    }

    private mutating func appendIPv4(_ text: Span<UInt8>) -> Bool {
        guard let address = IPv4Literal.value(of: text) else { return false }
        return append(group: UInt16(truncatingIfNeeded: address >> 16)) && append(group: UInt16(truncatingIfNeeded: address))
    }

    private func isGap(_ text: Span<UInt8>, at index: Int) -> Bool {
        index &+ 1 < text.count && text[index] == UInt8(ascii: ":") && text[index &+ 1] == UInt8(ascii: ":")
    }

    private func countOfDigits(_ text: Span<UInt8>, from start: Int) -> Int {
        var end = start
        while end < text.count, PathCharacters.digit(text[end]) != nil { end &+= 1 }
        return end &- start
    }
}
