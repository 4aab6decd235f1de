/// One field line, as the ranges of its name and value in the head's bytes, and the classification of its name.
///
/// It is only valid together with the section that it was taken from.
public struct HeaderField: Hashable, Sendable {
    @usableFromInline let nameStart: UInt32
    @usableFromInline let nameEnd: UInt32
    @usableFromInline let valueStart: UInt32
    @usableFromInline let valueEnd: UInt32

    /// Hash of the folded name: lower case, with `-` for every character except letters and digits. Names that a lax
    /// reader could confuse have the same hash.
    public let nameHash: UInt32

    /// The known field with this name, ignoring case. Nil for any other name.
    public internal(set) var known: KnownField?

    /// The known field that the name resembles, with another character for `-`. A CGI-like reader behind the gateway
    /// would confuse the two. Nil if the name is a known one or resembles none.
    public internal(set) var lookAlike: KnownField?

    /// True if the field arrived in HTTP/2 as a literal that is never indexed. It is forwarded as one (RFC 7541
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

    /// The range of the field name, without the colon.
    @inlinable public var name: Range<Int> { Int(nameStart)..<Int(nameEnd) }

    /// The range of the field value, without white space around it.
    @inlinable public var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }
}
