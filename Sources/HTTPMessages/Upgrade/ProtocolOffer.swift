/// The subprotocols that a client offers, with no token among them: what goes upstream, and what an answer may name.
public struct ProtocolOffer: Hashable, Sendable {
    /// The entries that are neither names nor tokens, as one list in their order; empty if there are none.
    public private(set) var kept: [UInt8] = []

    /// The first name that stands before a token, as the client spells it. Nil if it offers none.
    public private(set) var name: [UInt8]?

    /// - Parameter names: those behind which tokens may stand.
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

    /// The subprotocol that a handshake is answered with (RFC 6455 §4.2.2).
    public enum Answer: Hashable, Sendable {
        /// None: a client that offers some may give up.
        case none
        case named([UInt8])
        /// The upstream's choice is none that the client offers.
        case unoffered
    }

    /// The upstream's choice. If it chose none, the name, because a browser that offers protocols takes no answer
    /// without one.
    public func answer(to head: borrowing ResponseHead) -> Answer {
        guard head.contains(.secWebSocketProtocol) else { return usualAnswer }
        guard let choice = head.only(.secWebSocketProtocol)?.value else { return .unoffered }
        if choice.isEmpty { return usualAnswer }
        let bytes = head.slice(choice)
        return contains(bytes.span) ? .named(Array(bytes)) : .unoffered
    }

    private var usualAnswer: Answer { name.map(Answer.named) ?? .none }

    /// Whether the client offers this, letter by letter, and it is no token.
    private func contains(_ choice: Span<UInt8>) -> Bool {
        if let name, choice.equals(name.span) { return true }
        var elements = ListElements(0..<kept.count)
        while let range = elements.next(in: kept.span) {
            if !range.isEmpty, choice.equals(kept.span.extracting(range)) { return true }
        }
        return false
    }
}
