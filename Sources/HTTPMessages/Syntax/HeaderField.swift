/// One field line: where in the head's bytes its name and value are, and what the name is.
///
/// Only meaningful together with the section it was taken from.
public struct HeaderField: Hashable, Sendable {
    @usableFromInline let nameStart: UInt32
    @usableFromInline let nameEnd: UInt32
    @usableFromInline let valueStart: UInt32
    @usableFromInline let valueEnd: UInt32

    /// A hash of the name in lower case, every character that is no letter or digit as `-`; equal for names that a
    /// lax reader could take for each other.
    public let nameHash: UInt32

    /// The field's entry in the closed table, when the name is written with the right characters.
    public internal(set) var known: KnownField?

    /// The entry that the name resembles, another character standing for `-`: what a CGI-like reader behind us would
    /// take it for.
    public internal(set) var lookAlike: KnownField?

    /// Whether the peer's HTTP/2 had the field as a literal that is never indexed: it is forwarded as one (RFC 7541
    /// §6.2.3).
    public let isNeverIndexed: Bool

    init(
        name: Range<Int>,
        value: Range<Int>,
        nameHash: UInt32,
        known: KnownField?,
        lookAlike: KnownField?,
        isNeverIndexed: Bool = false
    ) {
        nameStart = UInt32(truncatingIfNeeded: name.lowerBound)
        nameEnd = UInt32(truncatingIfNeeded: name.upperBound)
        valueStart = UInt32(truncatingIfNeeded: value.lowerBound)
        valueEnd = UInt32(truncatingIfNeeded: value.upperBound)
        self.nameHash = nameHash
        self.known = known
        self.lookAlike = lookAlike
        self.isNeverIndexed = isNeverIndexed
    }

    /// The field name, without the colon.
    @inlinable public var name: Range<Int> { Int(nameStart)..<Int(nameEnd) }

    /// The field value, without white space around it.
    @inlinable public var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }
}
