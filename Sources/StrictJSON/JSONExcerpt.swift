import ByteWords

/// Takes members out of a JSON object without parsing the others.
public enum JSONExcerpt {
    /// The object with only the members that have one of these names, as JSON text. Nil if the text is no object.
    ///
    /// Not checked: that the text is JSON. Use it for a text that was parsed before, to parse little of it again. A
    /// name with an escape may be any name, so its member is always taken.
    public static func object(in text: Span<UInt8>, members names: [String]) -> [UInt8]? {
        var excerpt: [UInt8] = [UInt8(ascii: "{")]
        var reader = Reader()
        guard reader.skip(UInt8(ascii: "{"), in: text) else { return nil }
        while !reader.skip(UInt8(ascii: "}"), in: text) {
            guard let name = reader.string(in: text), reader.skip(UInt8(ascii: ":"), in: text),
                let end = reader.endOfValue(in: text)
            else { return nil }
            if Self.mayBe(text.extracting(name), oneOf: names) {
                if excerpt.count > 1 { excerpt.append(UInt8(ascii: ",")) }
                unsafe text.extracting(name.lowerBound &- 1..<end).withUnsafeBufferPointer {
                    unsafe excerpt.append(contentsOf: $0)
                }
            }
            _ = reader.skip(UInt8(ascii: ","), in: text)
        }
        excerpt.append(UInt8(ascii: "}"))
        return excerpt
    }

    private static func mayBe(_ name: Span<UInt8>, oneOf names: [String]) -> Bool {
        for index in names.indices where name.equals(names[index].utf8.span) { return true }
        return name.firstOffset(from: 0, filler: UInt8(ascii: " ")) { $0.equal(to: UInt8(ascii: "\\")) } < name.count
    }

    /// Position in a JSON text, and what comes next there.
    private struct Reader {
        private var index = 0

        /// Skips white space, and then the byte if it is next. False if another byte is.
        mutating func skip(_ byte: UInt8, in text: Span<UInt8>) -> Bool {
            while index < text.count, text[index] <= UInt8(ascii: " ") { index &+= 1 }
            guard index < text.count, text[index] == byte else { return false }
            index &+= 1
            return true
        }

        /// Range of the next string without its quotes. Nil if no string is next, or it does not end.
        mutating func string(in text: Span<UInt8>) -> Range<Int>? {
            guard skip(UInt8(ascii: "\""), in: text) else { return nil }
            let start = index
            guard let end = text.endOfString(from: start &- 1) else { return nil }
            index = end
            return start..<index &- 1
        }

        /// Skips a member's value. Returns its end: the offset of the comma or bracket behind it. Nil if there is none.
        mutating func endOfValue(in text: Span<UInt8>) -> Int? {
            var depth = 0
            while index < text.count {
                switch text[index] {
                case UInt8(ascii: "\""):
                    guard let end = text.endOfString(from: index) else { return nil }
                    index = end
                    continue
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth &+= 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    if depth == 0 { return index }
                    depth &-= 1
                case UInt8(ascii: ",") where depth == 0: return index
                default: break
                }
                index &+= 1
            }
            return nil
        }
    }
}
