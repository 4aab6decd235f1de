import ByteWords

/// The subprotocols that a client offers, with tokens removed: the list to forward, and the names that a response may
/// choose.
public struct ProtocolOffer: Hashable, Sendable {
    /// The entries that are neither names nor tokens, as one list in their order. Empty if there are none.
    public private(set) var kept: [UInt8] = []

    /// The first name that precedes a token, as the client spells it. Nil if the client offers none.
    public private(set) var name: [UInt8]?

    /// - Parameter names: the names that may precede a token.
    public init(_ section: borrowing HeaderSection, behind names: [TokenProtocol]) {
        guard section.contains(.secWebSocketProtocol) else { return }
        var (kept, name) = ([UInt8](), [UInt8]?.none)
        section.forEachOffered(behind: names) { range, entry in
            switch entry {
            case .application:
                if !kept.isEmpty { kept.append(contentsOf: ", ".utf8) }
                kept.append(contentsOf: section.slice(range))
            case .name: name = name ?? Array(section.slice(range))
            case .token, .encodedToken: break
            }
        }
        (self.kept, self.name) = (kept, name)
    }

    /// The subprotocol in the response to a handshake (RFC 6455 §4.2.2).
    public enum Answer: Hashable, Sendable {
        /// No subprotocol. A client that offered some may give up.
        case none
        case named([UInt8])
        /// The upstream chose a subprotocol that the client did not offer.
        case unoffered
    }

    /// The subprotocol to answer with: the upstream's choice. If it chose none, the name that precedes the token,
    /// because a browser that offers protocols requires a choice.
    public func answer(to head: borrowing ResponseHead) -> Answer {
        guard head.contains(.secWebSocketProtocol) else { return usualAnswer }
        guard let choice = head.only(.secWebSocketProtocol)?.value else { return .unoffered }
        if choice.isEmpty { return usualAnswer }
        let bytes = head.slice(choice)
        return contains(bytes.span) ? .named(Array(bytes)) : .unoffered
    }

    private var usualAnswer: Answer { name.map(Answer.named) ?? .none }

    /// True if the client offered this subprotocol. The bearer token among the offered ones does not count.
    private func contains(_ choice: Span<UInt8>) -> Bool {
        if let name, choice.equals(name.span) { return true }
        var elements = ListElements(0..<kept.count)
        while let range = elements.next(in: kept.span) {
            if !range.isEmpty, choice.equals(kept.span.extracting(range)) { return true }
        }
        return false
    }
}
