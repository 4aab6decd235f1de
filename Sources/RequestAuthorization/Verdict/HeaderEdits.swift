import HTTPMessages

/// The fields that are removed from a message because only Bearward may state them, or because they carry a token.
///
/// The names of every resource together: a field that one upstream trusts must not be planted through another resource,
/// or through a public rule; and a token for one resource is no other upstream's business.
///
/// A class, so that requests share the names.
public final class HeaderEdits: Sendable {
    private let ofRequests: Names
    /// An upstream must not plant identities either. A token that it issues is for its client.
    private let ofResponses: Names
    /// What a proxy that asks at a door has to remove from a request: the names of its edits, and `Authorization`.
    public let removed: [FieldName]
    /// The same as a list (RFC 9110 §5.6.1).
    public let removedList: [UInt8]
    /// The subprotocols behind which tokens of any resource stand. If there are some, the field is written anew without
    /// these and the tokens.
    private let tokenProtocols: [TokenProtocol]

    public init(
        identityFields: some Sequence<FieldName>, tokenFields: some Sequence<FieldName> = [],
        tokenProtocols: some Sequence<TokenProtocol> = []
    ) {
        self.tokenProtocols = Array(Set(tokenProtocols))
        let offers = self.tokenProtocols.isEmpty ? [] : [FieldName(.secWebSocketProtocol)]
        ofResponses = Names(Array(identityFields))
        ofRequests = Names(Array(identityFields) + Array(tokenFields) + offers)
        removed = ofRequests.names + [FieldName(.authorization)]
        removedList = Array(removed.map(\.spelling).joined(separator: Array(", ".utf8)))
    }

    /// Names of fields, compared in lower case and with every character that is no letter or digit as `-`.
    private struct Names: Sendable {
        let names: [FieldName]
        /// One bit for the low bits of each name's hash: most other names need no more than a look at it.
        let filter: UInt64

        init(_ names: [FieldName]) {
            self.names = Array(Set(names))
            filter = names.reduce(0) { $0 | Self.bit($1.hash) }
        }

        func mayContain(_ field: HeaderField) -> Bool { filter & Self.bit(field.nameHash) != 0 }

        private static func bit(_ hash: UInt32) -> UInt64 { 1 &<< UInt64(hash & 63) }
    }

    /// Whether the field's name is, or to a lax reader looks like, an identity field or one that carries a token.
    public func removes(_ field: HeaderField, of head: RequestHead) -> Bool {
        guard ofRequests.mayContain(field) else { return false }
        return ofRequests.names.contains { name in head.resembles(field, name) }
    }

    /// What a request offers as subprotocols besides tokens. Nil if no resource takes tokens there, so that the field
    /// is any other.
    public func protocolOffer(of head: borrowing RequestHead) -> ProtocolOffer? {
        tokenProtocols.isEmpty ? nil : ProtocolOffer(head.section, behind: tokenProtocols)
    }

    /// Whether the name of a trailer, of a request or a response, is or looks like one of them.
    public func removes(_ name: ArraySlice<UInt8>) -> Bool {
        ofRequests.names.contains { $0.resembles(name.span) }
    }

    /// Whether the name of a response's field is, or looks like, an identity field.
    public func removes(_ field: HeaderField, of head: ResponseHead) -> Bool {
        guard ofResponses.mayContain(field) else { return false }
        return ofResponses.names.contains { name in head.resembles(field, name) }
    }
}
