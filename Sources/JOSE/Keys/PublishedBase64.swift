/// Base64 as real key sets contain it: the url-safe or the standard alphabet, with or without padding (RFC 4648 §4,
/// §5).
///
/// Only for key sets. Parts of a token must be in the one spelling of ``Base64URL``, so that no two texts are the same
/// token.
struct PublishedBase64 {
    let bytes: [UInt8]
    let deviations: JWKDeviations

    /// Decodes a text. Nil if it has any other byte, padding that does not complete the last four characters, or spare
    /// bits that are not zero.
    init?(_ text: Span<UInt8>) {
        var end = text.count
        while end > 0, text[end &- 1] == UInt8(ascii: "=") { end &-= 1 }
        var deviations: JWKDeviations = []
        if end < text.count {
            guard text.count & 3 == 0, text.count &- end <= 2 else { return nil }
            deviations.insert(.padding)
        }
        var urlSafe: [UInt8] = []
        urlSafe.reserveCapacity(end)
        for index in 0..<end {
            let byte = text[index]
            let digit = Self.urlSafe(byte)
            if digit != byte { deviations.insert(.standardAlphabet) }
            urlSafe.append(digit)
        }
        guard let decoded = Base64URL.decode(urlSafe.span) else { return nil }
        bytes = decoded
        self.deviations = deviations
    }

    private static func urlSafe(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "+"): UInt8(ascii: "-")
        case UInt8(ascii: "/"): UInt8(ascii: "_")
        default: byte
        }
    }
}
