/// The multibyte character, or the maximal malformed part, that begins at a byte of 0x80 or above (RFC 3629 §4, Unicode
/// §3.9).
struct UTF8Sequence {
    /// Length in bytes, at least one.
    private(set) var count = 1
    /// The character's code point. Nil if the sequence is malformed.
    private(set) var scalar: UInt32?

    init(in text: Span<UInt8>, at start: Int) {
        let lead = text[start]
        guard let (following, value) = Self.expectation(after: lead) else { return }
        var scalar = value
        for position in 1...following {
            guard start &+ position < text.count else { return }
            let byte = text[start &+ position]
            guard Self.range(of: position, after: lead).contains(byte) else { return }
            scalar = scalar &<< 6 | UInt32(byte & 0x3F)
            count &+= 1
        }
        self.scalar = scalar
    }

    private static func expectation(after lead: UInt8) -> (following: Int, value: UInt32)? {
        switch lead {
        case 0xC2...0xDF: (1, UInt32(lead & 0x1F))
        case 0xE0...0xEF: (2, UInt32(lead & 0x0F))
        case 0xF0...0xF4: (3, UInt32(lead & 0x07))
        default: nil
        }
    }

    /// The permitted values of the byte at a position. The range of the second byte excludes overlong forms, surrogates
    /// and values above U+10FFFF.
    private static func range(of position: Int, after lead: UInt8) -> ClosedRange<UInt8> {
        switch (position, lead) {
        case (1, 0xE0): 0xA0...0xBF
        case (1, 0xED): 0x80...0x9F
        case (1, 0xF0): 0x90...0xBF
        case (1, 0xF4): 0x80...0x8F
        default: 0x80...0xBF
        }
    }
}
