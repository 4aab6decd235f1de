/// A segment of a pattern that has literal text beside its only wildcard: `{id}:cancel`, `Items({id})`, `*.css`, `v*`.
///
/// It matches a segment that begins and ends with this text and has at least one byte between.
public struct PartialSegment: Sendable, Hashable {
    /// Decoded bytes before the wildcard. Empty if the segment begins with the wildcard.
    public let prefix: [UInt8]
    /// Decoded bytes after the wildcard. Empty if the segment ends with the wildcard.
    public let suffix: [UInt8]
    /// Name of the wildcard. Nil for `*`.
    public let name: String?

    public init(prefix: [UInt8], suffix: [UInt8], name: String?) {
        self.prefix = prefix
        self.suffix = suffix
        self.name = name
    }

    /// Number of literal bytes. The segment with more of them is the more specific one.
    var literalCount: Int { prefix.count + suffix.count }

    var hasParameters: Bool {
        prefix.contains(UInt8(ascii: ";")) || suffix.contains(UInt8(ascii: ";"))
    }

    func matches(_ text: [UInt8]) -> Bool {
        text.count > literalCount && text.starts(with: prefix) && Self.ends(text, with: suffix)
    }

    /// True if this segment matches all text that the other one matches.
    func contains(_ other: PartialSegment) -> Bool {
        other.prefix.starts(with: prefix) && Self.ends(other.suffix, with: suffix)
    }

    /// Literal parts of text that both segments match. Nil if no text matches both.
    func common(with other: PartialSegment) -> (prefix: [UInt8], suffix: [UInt8])? {
        let prefixes = prefix.count < other.prefix.count ? (prefix, other.prefix) : (other.prefix, prefix)
        let suffixes = suffix.count < other.suffix.count ? (suffix, other.suffix) : (other.suffix, suffix)
        guard prefixes.1.starts(with: prefixes.0), Self.ends(suffixes.1, with: suffixes.0) else { return nil }
        return (prefixes.1, suffixes.1)
    }

    /// True if some text matches both segments, and each matches text that the other does not: `v*` and `*.css`.
    func crosses(_ other: PartialSegment) -> Bool {
        // Cheap, and false for most pairs of a large file.
        guard prefix.count != other.prefix.count, suffix.count != other.suffix.count else { return false }
        return common(with: other) != nil && !contains(other) && !other.contains(self)
    }

    private static func ends(_ text: [UInt8], with suffix: [UInt8]) -> Bool {
        text.count >= suffix.count && text.suffix(suffix.count).elementsEqual(suffix)
    }
}

extension PartialSegment: CustomStringConvertible {
    public var description: String {
        let (before, after) = (PathLiteral.description(of: prefix), PathLiteral.description(of: suffix))
        guard let name else { return before == "." && after.isEmpty ? "%2E*" : "\(before)*\(after)" }
        // `${name}` is refused, because it is a variable elsewhere.
        return before.replacing("$", with: "%24") + "{\(name)}" + after
    }
}
