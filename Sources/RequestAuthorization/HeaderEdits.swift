import HTTPMessages

/// Which fields a message loses on its way through, because only Bearward may state them.
///
/// The names of every resource together: a field that one upstream trusts must not be planted by way of another resource,
/// or by way of a public rule.
public struct HeaderEdits: Sendable {
    /// Identity field names, compared in lower case and with `_` as `-`.
    private let reserved: [FieldName]
    private let hashes: Set<UInt32>

    public init(identityFields names: some Sequence<FieldName>) {
        reserved = Array(Set(names))
        hashes = Set(reserved.map(\.hash))
    }

    /// Whether the field's name is, or to a lax reader looks like, one of the identity fields.
    public func removes(_ field: HeaderField, of head: RequestHead) -> Bool {
        guard hashes.contains(field.nameHash) else { return false }
        return reserved.contains { name in head.resembles(field, name) }
    }

    /// Whether a trailer's name is, or looks like, one of them.
    public func removes(_ name: ArraySlice<UInt8>) -> Bool {
        reserved.contains { $0.resembles(name.span) }
    }

    /// The same for a response: an upstream must not plant them either.
    public func removes(_ field: HeaderField, of head: ResponseHead) -> Bool {
        guard hashes.contains(field.nameHash) else { return false }
        return reserved.contains { name in head.resembles(field, name) }
    }
}
