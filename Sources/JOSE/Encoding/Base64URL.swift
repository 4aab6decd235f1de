import ByteWords

/// Base64url without padding (RFC 4648 §5, RFC 7515 §2), in its one canonical spelling.
///
/// Rejects every byte outside the alphabet (also padding, `+`, `/`, white space), a length of 1 modulo 4, and spare
/// bits that are not zero. So no two texts decode to the same bytes.
public enum Base64URL {
    /// Appends the decoded bytes. Returns false and appends nothing if the text is rejected.
    public static func decode(_ text: Span<UInt8>, into bytes: inout [UInt8]) -> Bool {
        let spare = text.count & 3
        guard spare != 1 else { return false }
        let start = bytes.count
        let length = text.count / 4 &* 3 &+ (spare == 0 ? 0 : spare &- 1)
        bytes.append(contentsOf: repeatElement(0, count: length))
        var output = bytes.mutableSpan
        let isCanonical = decode(text, into: &output, at: start)
        if !isCanonical { bytes.removeLast(length) }
        return isCanonical
    }

    /// The decoded bytes. Nil if the text is rejected.
    public static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        return decode(text, into: &bytes) ? bytes : nil
    }

    /// The decoded bytes. Nil if the text is rejected.
    public static func decode(_ text: String) -> [UInt8]? {
        decode(text.utf8.span)
    }

    public static func encode(_ bytes: [UInt8]) -> String {
        String(decoding: encodedBytes(bytes.span), as: UTF8.self)
    }

    public static func encodedBytes(_ bytes: Span<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count &* 4 &+ 2) / 3)
        var pending: UInt32 = 0
        var bits = 0
        for index in bytes.indices {
            pending = pending &<< 8 | UInt32(bytes[index])
            bits &+= 8
            while bits >= 6 {
                bits &-= 6
                text.append(character(pending &>> UInt32(truncatingIfNeeded: bits)))
            }
        }
        if bits > 0 { text.append(character(pending &<< UInt32(6 &- bits))) }
        return text
    }

    /// True if the byte is a character of the alphabet.
    public static func hasCharacter(_ byte: UInt8) -> Bool { values[Int(byte)] < 64 }

    /// Marks the characters of the alphabet.
    @inline(__always)
    static func characters(in word: ByteWord) -> ByteMarks {
        word.letters | word.within(UInt8(ascii: "0")...UInt8(ascii: "9")) | word.equal(to: UInt8(ascii: "-"))
            | word.equal(to: UInt8(ascii: "_"))
    }

    /// Value of each character from 0 to 63, by its byte. 0xFF for bytes outside the alphabet.
    static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, byte) in alphabet.enumerated() { values[Int(byte)] = UInt8(value) }
        return values
    }()
}

// MARK: - Tables

extension Base64URL {
    private static func decode(_ text: Span<UInt8>, into output: inout MutableSpan<UInt8>, at start: Int) -> Bool {
        let values = Self.values.span
        var read = 0
        var written = start
        // A byte outside the alphabet has the value 0xFF, so one test of the combined bits at the end finds it.
        var seen: UInt8 = 0
        while let word = ByteWord(text, at: read) {
            var bits: UInt64 = 0
            for index in 0..<ByteWord.byteCount {
                // SAFETY: there is a value for each byte.
                let value = unsafe values[unchecked: Int(word[index])]
                seen |= value
                bits = bits &<< 6 | UInt64(value)
            }
            // in bounds: the output has three bytes for every four characters of the text
            for index in 0..<6 { output[written &+ index] = UInt8(truncatingIfNeeded: bits &>> (40 &- 8 &* index)) }
            read &+= ByteWord.byteCount
            written &+= 6
        }
        if text.count &- read >= 4 {
            let (a, b) = (values[Int(text[read])], values[Int(text[read &+ 1])])
            let (c, d) = (values[Int(text[read &+ 2])], values[Int(text[read &+ 3])])
            seen |= a | b | c | d
            // in bounds: the output has three bytes for every four characters of the text
            output[written] = a &<< 2 | b &>> 4
            output[written &+ 1] = b &<< 4 | c &>> 2
            output[written &+ 2] = c &<< 6 | d
            read &+= 4
            written &+= 3
        }
        return decodeRest(text, from: read, into: &output, at: written) && seen < 64
    }

    /// Decodes the last two or three characters, whose spare bits must be zero (RFC 4648 §3.5).
    private static func decodeRest(
        _ text: Span<UInt8>, from read: Int, into output: inout MutableSpan<UInt8>, at written: Int
    ) -> Bool {
        guard text.count &- read >= 2 else { return true }
        let (a, b) = (values[Int(text[read])], values[Int(text[read &+ 1])])
        // in bounds: as above
        output[written] = a &<< 2 | b &>> 4
        guard text.count &- read == 3 else { return (a | b) < 64 && b & 0x0F == 0 }
        let c = values[Int(text[read &+ 2])]
        // in bounds: as above
        output[written &+ 1] = b &<< 4 | c &>> 2
        return (a | b | c) < 64 && c & 0x03 == 0
    }

    private static func character(_ value: UInt32) -> UInt8 {
        alphabet[Int(value & 63)]
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
}
