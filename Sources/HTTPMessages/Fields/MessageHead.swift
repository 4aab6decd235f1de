/// Common part of request and response heads: a header section and its accessors.
public protocol MessageHead: Sendable {
    /// The head's bytes and its table of fields.
    var section: HeaderSection { get }
}

extension MessageHead {
    /// The whole head from its first byte to the end of its blank line. All ranges are offsets in these bytes.
    @inlinable public var bytes: [UInt8] { section.bytes }

    /// Size of the head in the received bytes. For HTTP/2, its size as HTTP/1.1 text.
    @inlinable public var byteCount: Int { section.byteCount }

    /// The field lines in the order received.
    @inlinable public var fields: [HeaderField] { section.fields }

    /// The bytes of a range of this head. Empty for a range outside it.
    @inlinable public func slice(_ range: Range<Int>) -> ArraySlice<UInt8> { section.slice(range) }

    /// A copy of a range of this head as text.
    @inlinable public func string(_ range: Range<Int>) -> String { section.string(range) }

    @inlinable public func name(of field: HeaderField) -> ArraySlice<UInt8> { section.name(of: field) }

    @inlinable public func value(of field: HeaderField) -> ArraySlice<UInt8> { section.value(of: field) }

    /// True if a field with this name is present. Look-alikes do not count.
    @inlinable public func contains(_ known: KnownField) -> Bool { section.contains(known) }

    /// Number of fields with this name.
    @inlinable public func count(of known: KnownField) -> Int { section.count(of: known) }

    /// The first field with this name. Nil if there is none.
    @inlinable public func first(_ known: KnownField) -> HeaderField? { section.first(known) }

    /// The field with this name. Nil if there is none or more than one.
    @inlinable
    @inline(__always)
    public func only(_ known: KnownField) -> HeaderField? { section.only(known) }

    /// The fields with this name in the order received.
    @inlinable public func fields(named known: KnownField) -> KnownFields { section.fields(named: known) }

    /// True if the field has this name, ignoring case.
    @inlinable public func isNamed(_ field: HeaderField, _ name: FieldName) -> Bool { section.isNamed(field, name) }

    /// True if a lax reader could take the field for this name: case is ignored, and every character except letters and
    /// digits counts as `-`.
    @inlinable public func resembles(_ field: HeaderField, _ name: FieldName) -> Bool { section.resembles(field, name) }

    /// True if `Connection` nominates the field, so that it must not be forwarded (RFC 9110 §7.6.1). Names are compared
    /// folded.
    @inlinable public func isNominated(_ field: HeaderField) -> Bool { section.isNominated(field) }

    /// True if `Connection` nominates this name. Names are compared folded.
    @inlinable public func isNominated(_ name: FieldName) -> Bool { section.isNominated(name) }
}
