import ByteWords
import NetworkNames

/// Credentials in the value of an `Authorization` field, as far as the Bearer scheme is concerned (RFC 6750 §2.1).
public enum BearerCredentials: Sendable, Hashable {
    /// No Bearer credentials: another scheme, or none.
    case absent
    /// The Bearer scheme, followed by something other than one run of token68 characters (RFC 9110 §11.2).
    case malformed
    /// Byte range of the token in the value.
    case token(Range<Int>)

    /// - Parameter value: a field value without outer white space.
    public init(_ value: Span<UInt8>) {
        guard Self.names(value) else {
            self = .absent
            return
        }
        self = Self.presumedToken(in: value).flatMap { Self.token($0, in: value) } ?? .malformed
    }

    /// Reads a field of another name, whose value is a token after a prefix. The result is `absent` if the value is
    /// empty or does not begin with the prefix.
    public init(_ value: Span<UInt8>, behind prefix: [UInt8]) {
        guard !value.isEmpty, Self.begins(value, with: prefix) else {
            self = .absent
            return
        }
        self = Self.presumedToken(in: value, behind: prefix).flatMap { Self.token($0, in: value) } ?? .malformed
    }

    private static func token(_ range: Range<Int>, in value: Span<UInt8>) -> BearerCredentials? {
        let token = value.extracting(range)
        let end = token.firstOffset(from: 0, filler: UInt8(ascii: "A")) { ~token68(in: $0) }
        return end == token.count ? .token(range) : nil
    }

    /// Byte range of the token, which follows the scheme and its spaces. Does not check the token's characters. Nil if
    /// the value has another scheme, or no token.
    public static func presumedToken(in value: Span<UInt8>) -> Range<Int>? {
        guard names(value) else { return nil }
        var start = scheme.count
        while start < value.count, value[start] == UInt8(ascii: " ") { start &+= 1 }
        var end = value.count
        while end > start, value[end &- 1] == UInt8(ascii: " ") || value[end &- 1] == UInt8(ascii: "\t") { end &-= 1 }
        return start > scheme.count && start < end ? start..<end : nil
    }

    /// Byte range of the token after a prefix, which is compared without regard to case. Nil without the prefix or a
    /// token.
    public static func presumedToken(in value: Span<UInt8>, behind prefix: [UInt8]) -> Range<Int>? {
        guard value.count > prefix.count, begins(value, with: prefix) else { return nil }
        return prefix.count..<value.count
    }

    private static func begins(_ value: Span<UInt8>, with prefix: [UInt8]) -> Bool {
        guard value.count >= prefix.count else { return false }
        for index in prefix.indices where ASCII.lowercased(value[index]) != ASCII.lowercased(prefix[index]) {
            return false
        }
        return true
    }

    private static let scheme: [UInt8] = Array("bearer".utf8)

    /// True if the scheme is `Bearer` in any case. `Bearerx` and `Bearer:` are other schemes.
    private static func names(_ value: Span<UInt8>) -> Bool {
        guard value.count >= scheme.count else { return false }
        for index in scheme.indices where value[index] | 0x20 != scheme[index] { return false }
        return value.count == scheme.count || value[scheme.count] == UInt8(ascii: " ")
            || value[scheme.count] == UInt8(ascii: "\t")
    }

    /// Marks the characters of token68 (RFC 9110 §11.2). `=` is padding at the end. A token with `=` elsewhere passes
    /// here, and is rejected later as a token, not as a syntax error.
    @inline(__always)
    private static func token68(in word: ByteWord) -> ByteMarks {
        word.letters | word.within(UInt8(ascii: "-")...UInt8(ascii: "9")) | word.equal(to: UInt8(ascii: "+"))
            | word.equal(to: UInt8(ascii: "=")) | word.equal(to: UInt8(ascii: "_")) | word.equal(to: UInt8(ascii: "~"))
    }
}
