/// The token among the subprotocols that a client offers (RFC 6455 §11.3.4). A script in a browser can send it with a handshake nowhere else.
///
/// It is the entry behind a name: `bearer, TOKEN`. Or an entry ends with it, as Kubernetes has it, behind such a name or alone:
/// `base64url.bearer.authorization.k8s.io.BASE64URL`. All fields of the name are one list (RFC 9110 §5.3); empty entries do not count.
public enum TokenOffer: Hashable, Sendable {
    /// Neither a name nor a token is offered.
    case none
    /// A name, and no token behind it.
    case incomplete
    /// More than one name or token, a token apart from the name, or more than one field.
    case several
    /// The range of the token. Not checked: that its bytes are those of one.
    case token(Range<Int>)
    /// The range of the token's base64url. Not checked: that it is some.
    case encodedToken(Range<Int>)
}

/// One entry of the list.
enum OfferedEntry {
    /// A subprotocol for the application.
    case application
    /// The name that stands before a token.
    case name
    case token
    case encodedToken
}

extension HeaderSection {
    /// The token that is offered behind this name.
    public func tokenOffer(behind name: TokenProtocol) -> TokenOffer {
        guard contains(.secWebSocketProtocol) else { return .none }
        var (names, tokens) = (0, 0)
        var found = TokenOffer.incomplete
        var (isBehindName, wasName) = (false, false)
        forEachOffered(behind: [name]) { range, entry in
            switch entry {
            case .application: break
            case .name: names &+= 1
            case .token: (tokens, found) = (tokens &+ 1, .token(range))
            case .encodedToken: (tokens, found) = (tokens &+ 1, .encodedToken(encodedPart(of: range)))
            }
            if entry == .token || entry == .encodedToken { isBehindName = wasName }
            wasName = entry == .name
        }
        guard names > 0 || tokens > 0 else { return .none }
        guard count(of: .secWebSocketProtocol) == 1, names <= 1, tokens <= 1 else { return .several }
        return tokens == 0 || isBehindName == (names == 1) ? found : .several
    }

    /// Calls `body` with each entry of the list, in order.
    func forEachOffered(behind names: [TokenProtocol], _ body: (Range<Int>, OfferedEntry) -> Void) {
        var wasName = false
        for field in fields where field.known == .secWebSocketProtocol && field.value.upperBound <= bytes.count {
            var elements = ListElements(field.value)
            while let range = elements.next(in: bytes.span) {
                if range.isEmpty { continue }
                let entry = offeredEntry(range, behind: names, isBehindName: wasName)
                wasName = entry == .name
                body(range, entry)
            }
        }
    }

    private func offeredEntry(_ range: Range<Int>, behind names: [TokenProtocol], isBehindName: Bool) -> OfferedEntry {
        let value = bytes.span.extracting(range)
        for name in names where name.matches(value) { return .name }
        if value.hasPrefix(TokenProtocol.encodedPrefix) { return .encodedToken }
        return isBehindName ? .token : .application
    }

    /// What follows the last dot; base64url has none.
    private func encodedPart(of range: Range<Int>) -> Range<Int> {
        var start = range.upperBound
        while start > range.lowerBound, bytes[start &- 1] != ASCII.dot { start &-= 1 }
        return start..<range.upperBound
    }
}

extension RequestHead {
    /// The range of a token that was decoded from a field; its bytes stand behind the head. Nil if none was.
    public var decodedToken: Range<Int>? { section.decodedToken }

    /// Puts the token that a field holds in another encoding behind the head, so that it has a range as any. Only the first one counts.
    public mutating func keepDecodedToken(_ token: [UInt8]) {
        section.keepDecodedToken(token)
    }
}

extension HeaderSection {
    mutating func keepDecodedToken(_ token: [UInt8]) {
        guard decodedToken == nil else { return }
        let start = bytes.count
        bytes.append(contentsOf: token)
        decodedToken = start..<bytes.count
    }
}
