extension TokenRecord {
    /// Reads the texts by which callers are counted, in one pass over the bytes of a record: they are its first three.
    /// Every request of a known token does it. Nil if the bytes are not a record of this form.
    static func callerTexts(of bytes: Span<UInt8>) -> CallerTexts? {
        guard let word = word16(bytes, 6), let wordCount = word16(bytes, 32) else { return nil }
        let flags = Flags(rawValue: UInt8(truncatingIfNeeded: word))
        var offset =
            answersStart(flags) &+ Int(word >> 8) &* answerSize &+ Int(wordCount) &* wordSize
        let keyID = nextText(of: bytes, &offset)
        let subject = nextText(of: bytes, &offset)
        return CallerTexts(keyID: keyID, subject: subject, client: nextText(of: bytes, &offset))
    }

    /// Range of the text whose length is at the offset, which moves to the next one. Nil if the token has none.
    @inline(__always)
    private static func nextText(of bytes: Span<UInt8>, _ offset: inout Int) -> Range<Int>? {
        guard let length = word16(bytes, offset) else { return nil }
        offset &+= 2
        if length < Marker.shared {
            let start = offset
            offset &+= Int(length)
            return offset <= bytes.count ? start..<offset : nil
        }
        guard Marker.isShared(length), let distance = word16(bytes, offset) else { return nil }
        offset &+= 2
        let start = bytes.count &- Int(distance)
        let end = start &+ Int(length & ~Marker.shared)
        return start >= 0 && end <= bytes.count ? start..<end : nil
    }

    /// Two bytes, little-endian. Nil if they are not all there.
    @inline(__always)
    private static func word16(_ bytes: Span<UInt8>, _ offset: Int) -> UInt16? {
        guard offset >= 0, offset &+ 2 <= bytes.count else { return nil }
        return UInt16(bytes[offset]) | UInt16(bytes[offset &+ 1]) << 8
    }
}
