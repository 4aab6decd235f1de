/// Common part of request and response heads: a header section and ways to look into it.
public protocol MessageHead: Sendable {
    /// The head's bytes and its table of fields.
    var section: HeaderSection { get }
}

extension MessageHead {
    /// The whole head from its first byte to the end of its blank line; all ranges count in it.
    @inlinable public var bytes: [UInt8] { section.bytes }

    /// Number of received bytes of the head; for HTTP/2, the number as text.
    @inlinable public var byteCount: Int { section.byteCount }

    /// The field lines in the order received.
    @inlinable public var fields: [HeaderField] { section.fields }

    /// The bytes of a range of this head; empty for a range that is not in it.
    @inlinable public func slice(_ range: Range<Int>) -> ArraySlice<UInt8> { section.slice(range) }

    /// A copy of a range of this head as text.
    @inlinable public func string(_ range: Range<Int>) -> String { section.string(range) }

    @inlinable public func name(of field: HeaderField) -> ArraySlice<UInt8> { section.name(of: field) }

    @inlinable public func value(of field: HeaderField) -> ArraySlice<UInt8> { section.value(of: field) }

    /// Whether a field with this name is there; look-alikes do not count.
    @inlinable public func contains(_ known: KnownField) -> Bool { section.contains(known) }

    /// Number of fields with this name.
    @inlinable public func count(of known: KnownField) -> Int { section.count(of: known) }

    /// The first field with this name.
    @inlinable public func first(_ known: KnownField) -> HeaderField? { section.first(known) }

    /// The field with this name. Nil if there is none, or more than one.
    @inlinable
    @inline(__always)
    public func only(_ known: KnownField) -> HeaderField? { section.only(known) }

    /// The fields with this name in the order received.
    @inlinable public func fields(named known: KnownField) -> KnownFields { section.fields(named: known) }

    /// Whether this is the field's name, in any case.
    @inlinable public func isNamed(_ field: HeaderField, _ name: FieldName) -> Bool { section.isNamed(field, name) }

    /// Whether a lax reader could take the field for this name: any case, and any character that is no letter or
    /// digit for `-`.
    @inlinable public func resembles(_ field: HeaderField, _ name: FieldName) -> Bool { section.resembles(field, name) }

    /// Whether `Connection` nominates the field, which therefore ends at this hop (RFC 9110 §7.6.1); names are
    /// compared folded.
    @inlinable public func isNominated(_ field: HeaderField) -> Bool { section.isNominated(field) }

    /// Whether `Connection` nominates this name; names are compared folded.
    @inlinable public func isNominated(_ name: FieldName) -> Bool { section.isNominated(name) }
}
