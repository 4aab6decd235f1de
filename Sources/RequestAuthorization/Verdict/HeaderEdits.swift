import HTTPMessages

/// Fields that are removed from a message because only Bearward may state them, or because they carry a token.
///
/// Names of all resources are combined. A field that one upstream trusts must not be planted through another resource
/// or a public rule. A token for one resource must not reach another upstream.
///
/// A class, so that requests share the names.
public final class HeaderEdits: Sendable {
    private let ofRequests: Names
    /// Names removed from responses: identity fields, since an upstream must not plant identities either. Token fields
    /// stay, because a token that an upstream issues is for its client.
    private let ofResponses: Names
    /// Fields that a forward auth proxy must remove from a request: those that Bearward removes, and `Authorization`.
    public let removed: [FieldName]
    /// The names of ``removed`` as a comma-separated list (RFC 9110 §5.6.1).
    public let removedList: [UInt8]
    /// Subprotocol names that precede a token, of all resources. If there are any, `Sec-WebSocket-Protocol` is
    /// rewritten without them and their tokens.
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

    /// Field names, compared in lower case, with every character other than a letter or digit read as `-`.
    private struct Names: Sendable {
        let names: [FieldName]
        /// Bloom filter with one bit per name, from the low bits of its hash. Most other names are excluded by this one
        /// test.
        let filter: UInt64

        init(_ names: [FieldName]) {
            self.names = Array(Set(names))
            filter = names.reduce(0) { $0 | Self.bit($1.hash) }
        }

        func mayContain(_ field: HeaderField) -> Bool { filter & Self.bit(field.nameHash) != 0 }

        private static func bit(_ hash: UInt32) -> UInt64 { 1 &<< UInt64(hash & 63) }
    }

    /// True if the field's name is that of an identity or token field, or a lax reader may take it for one.
    public func removes(_ field: HeaderField, of head: RequestHead) -> Bool {
        guard ofRequests.mayContain(field) else { return false }
        return ofRequests.names.contains { name in head.resembles(field, name) }
    }

    /// Returns the subprotocols that a request offers, without tokens. Nil if no resource takes tokens there, so that
    /// the field is forwarded as any other.
    public func protocolOffer(of head: borrowing RequestHead) -> ProtocolOffer? {
        tokenProtocols.isEmpty ? nil : ProtocolOffer(head.section, behind: tokenProtocols)
    }

    /// True if a trailer's name, of a request or a response, is or resembles the name of an identity or token field.
    public func removes(_ name: ArraySlice<UInt8>) -> Bool {
        ofRequests.names.contains { $0.resembles(name.span) }
    }

    /// True if the name of a response's field is, or resembles, that of an identity field.
    public func removes(_ field: HeaderField, of head: ResponseHead) -> Bool {
        guard ofResponses.mayContain(field) else { return false }
        return ofResponses.names.contains { name in head.resembles(field, name) }
    }
}
