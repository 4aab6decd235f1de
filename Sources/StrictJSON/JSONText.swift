import ByteWords

/// Appends the text of single JSON values (RFC 8259 §6, §7).
public enum JSONText {
    static func appendNull(to bytes: inout [UInt8]) {
        bytes.append(contentsOf: "null".utf8)
    }

    static func appendBoolean(_ value: Bool, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: value ? "true".utf8 : "false".utf8)
    }

    static func appendInteger(_ value: Int64, to bytes: inout [UInt8]) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        var rest = value.magnitude
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var count = 0
        repeat {
            // in bounds: 20 digits hold every number of 64 bits
            digits[count] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
            count &+= 1
        } while rest > 0
        for index in (0..<count).reversed() { bytes.append(digits[index]) }
    }

    static func appendReal(_ value: Double, to bytes: inout [UInt8]) {
        guard value.isFinite else { return appendNull(to: &bytes) }
        bytes.append(contentsOf: value.description.utf8)
    }

    /// Appends a string in quotes.
    ///
    /// Escaped are quote, backslash, all control characters (also DEL and C1), format characters, and U+2028 and
    /// U+2029, which some readers take for line ends. Malformed UTF-8 becomes U+FFFD, one for each maximal part.
    public static func appendString(_ text: Span<UInt8>, to bytes: inout [UInt8]) {
        var index = endOfPlain(text, from: 0)
        if index == text.count { return appendPlain(text, to: &bytes) }
        bytes.append(UInt8(ascii: "\""))
        index = 0
        while index < text.count {
            let plainEnd = endOfPlain(text, from: index)
            if plainEnd > index {
                unsafe text.extracting(index..<plainEnd).withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
                index = plainEnd
                continue
            }
            let byte = text[index]
            if byte < 0x80 {
                appendASCII(byte, to: &bytes)
                index &+= 1
            } else {
                index = appendMultibyte(text, at: index, to: &bytes)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends a string without characters that need an escape, in quotes.
    private static func appendPlain(_ text: Span<UInt8>, to bytes: inout [UInt8]) {
        bytes.append(addingCapacity: text.count &+ 2) { output in
            output.append(UInt8(ascii: "\""))
            unsafe output.withUnsafeMutableBufferPointer { buffer, count in
                unsafe text.withUnsafeBufferPointer { text in
                    count &+= unsafe UnsafeMutableBufferPointer(rebasing: buffer[count...]).initialize(
                        fromContentsOf: text)
                }
            }
            output.append(UInt8(ascii: "\""))
        }
    }

    /// Offset after the characters from `start` on that need no escape. Most texts have no others.
    private static func endOfPlain(_ text: Span<UInt8>, from start: Int) -> Int {
        text.firstOffset(from: start, filler: UInt8(ascii: " ")) { word in
            word.outside(0x20...0x7E) | word.equal(to: UInt8(ascii: "\"")) | word.equal(to: UInt8(ascii: "\\"))
        }
    }

    private static func appendASCII(_ byte: UInt8, to bytes: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(byte)
        case UInt8(ascii: "\n"): bytes.append(contentsOf: "\\n".utf8)
        case UInt8(ascii: "\r"): bytes.append(contentsOf: "\\r".utf8)
        case UInt8(ascii: "\t"): bytes.append(contentsOf: "\\t".utf8)
        default: appendEscape(UInt16(byte), to: &bytes)
        }
    }

    /// Appends the character that begins at `start` and returns the offset of the next one.
    private static func appendMultibyte(_ text: Span<UInt8>, at start: Int, to bytes: inout [UInt8]) -> Int {
        let sequence = UTF8Sequence(in: text, at: start)
        let end = start &+ sequence.count
        guard let scalar = sequence.scalar.flatMap(Unicode.Scalar.init) else {
            bytes.append(contentsOf: "\u{FFFD}".utf8)
            return end
        }
        if scalar.isWrittenAsNumber {
            for unit in scalar.utf16 { appendEscape(unit, to: &bytes) }
        } else {
            for index in start..<end { bytes.append(text[index]) }
        }
        return end
    }

    private static func appendEscape(_ unit: UInt16, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: "\\u".utf8)
        for shift: UInt16 in [12, 8, 4, 0] {
            let digit = UInt8(truncatingIfNeeded: unit &>> shift & 0xF)
            bytes.append(digit < 10 ? UInt8(ascii: "0") &+ digit : UInt8(ascii: "a") &- 10 &+ digit)
        }
    }
}
