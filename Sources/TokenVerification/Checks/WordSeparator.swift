/// Sign between the words of a claim that is one text, such as the scopes. Spaces beside the sign belong to no word.
public struct WordSeparator: Sendable, Hashable {
    /// A space, as between scopes (RFC 6749 §3.3).
    public static let space = WordSeparator(byte: UInt8(ascii: " "))
    public static let all = [space] + ",;|".utf8.map { WordSeparator(byte: $0) }

    let byte: UInt8

    private init(byte: UInt8) { self.byte = byte }

    /// Nil for a text that is no separator.
    public init?(_ text: String) {
        guard let known = Self.all.first(where: { $0.text == text }) else { return nil }
        self = known
    }

    public var text: String { String(decoding: [byte], as: UTF8.self) }

    /// Range of the word that begins at an index, and the index after its separator.
    func word(in bytes: Span<UInt8>, from start: Int) -> (word: Range<Int>, next: Int) {
        var (first, end) = (start, start)
        while end < bytes.count, bytes[end] != byte { end &+= 1 }
        let next = end &+ 1
        while first < end, bytes[first] == Self.space.byte { first &+= 1 }
        while first < end, bytes[end &- 1] == Self.space.byte { end &-= 1 }
        return (first..<end, next)
    }
}
