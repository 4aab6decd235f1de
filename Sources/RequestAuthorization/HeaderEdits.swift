import HTTPMessages

/// The fields that are removed from a message because only Bearward may state them.
///
/// The names of every resource together: a field that one upstream trusts must not be planted through another resource,
/// or through a public rule.
///
/// A class, so that requests share the names.
public final class HeaderEdits: Sendable {
    /// Identity field names, compared in lower case and with every character that is no letter or digit as `-`.
    private let reserved: [FieldName]
    /// One bit for the low bits of each name's hash: most other names need no more than a look at it.
    private let filter: UInt64

    public init(identityFields names: some Sequence<FieldName>) {
        reserved = Array(Set(names))
        filter = reserved.reduce(0) { $0 | Self.bit($1.hash) }
    }

    private static func bit(_ hash: UInt32) -> UInt64 { 1 &<< UInt64(hash & 63) }

    /// Whether the field's name is, or to a lax reader looks like, one of the identity fields.
    public func removes(_ field: HeaderField, of head: RequestHead) -> Bool {
        guard filter & Self.bit(field.nameHash) != 0 else { return false }
        return reserved.contains { name in head.resembles(field, name) }
    }

    /// Whether a trailer's name is, or looks like, one of them.
    public func removes(_ name: ArraySlice<UInt8>) -> Bool {
        reserved.contains { $0.resembles(name.span) }
    }

    /// The same for a response: an upstream must not plant them either.
    public func removes(_ field: HeaderField, of head: ResponseHead) -> Bool {
        guard filter & Self.bit(field.nameHash) != 0 else { return false }
        return reserved.contains { name in head.resembles(field, name) }
    }
}
