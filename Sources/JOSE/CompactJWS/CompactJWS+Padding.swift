extension CompactJWS {
    /// Whether the parts of a token may end with padding, which RFC 7515 §2 forbids.
    public enum Padding: Sendable, Hashable {
        case refused
        /// Each part may have the padding of RFC 4648 §4, or none.
        case accepted
    }

    /// Splits a token whose parts may end with padding: exactly as many `=` as RFC 4648 §4 demands, or none.
    ///
    /// The parts' ranges leave the padding out, and the signing input includes it. No reader can understand such a part
    /// in another way. But the signature may then be written in two ways, so the text of a token does not identify it.
    public init(_ token: Span<UInt8>, padding: Padding) throws(CompactJWSRejection) {
        self = try Self.split(token, padding)
    }

    private static func split(_ token: Span<UInt8>, _ padding: Padding) throws(CompactJWSRejection) -> CompactJWS {
        do throws(CompactJWSRejection) {
            return try CompactJWS(token)
        } catch {
            guard padding == .accepted, error == .notBase64URL else { throw error }
            return try CompactJWS(padded: token)
        }
    }

    /// Splits a token that has two dots and whose parts may end with padding.
    private init(padded token: Span<UInt8>) throws(CompactJWSRejection) {
        let dots = token.indices.filter { token[$0] == UInt8(ascii: ".") }
        guard let first = dots.first, let second = dots.last, dots.count == 2 else { throw .notBase64URL }
        let header = try Self.withoutPadding(0..<first, of: token)
        let payload = try Self.withoutPadding((first &+ 1)..<second, of: token)
        let signature = try Self.withoutPadding((second &+ 1)..<token.count, of: token)
        self.init(
            protectedHeader: header, payload: payload, signature: signature, signingInput: 0..<second, isPadded: true)
    }

    /// Range of a part without its padding.
    private static func withoutPadding(_ part: Range<Int>, of token: Span<UInt8>) throws(CompactJWSRejection)
        -> Range<Int>
    {
        let text = part.lowerBound..<part.upperBound &- Base64URL.paddingCount(token.extracting(part))
        guard Base64URL.mayPad(text.count, with: part.count &- text.count) else { throw .notBase64URL }
        for index in text where !Base64URL.hasCharacter(token[index]) { throw .notBase64URL }
        return text
    }
}

extension Base64URL {
    /// Number of `=` at the end of a text.
    public static func paddingCount(_ text: Span<UInt8>) -> Int {
        var count = 0
        while count < text.count, text[text.count &- 1 &- count] == UInt8(ascii: "=") { count &+= 1 }
        return count
    }

    /// True if so many characters may be followed by so much padding (RFC 4648 §4), which may be left out as a whole.
    public static func mayPad(_ characters: Int, with padding: Int) -> Bool {
        switch characters % 4 {
        case 0: padding == 0
        case 2: padding == 0 || padding == 2
        case 3: padding == 0 || padding == 1
        default: false
        }
    }
}
