import NetworkNames

/// The token among the subprotocols that a client offers (RFC 6455 §11.3.4). A script in a browser cannot send a token
/// in any other part of a handshake.
///
/// The token is the entry after a name: `bearer, TOKEN`. Or an entry ends with it, as in Kubernetes, with or without a
/// name before it: `base64url.bearer.authorization.k8s.io.BASE64URL`. All fields of the name are one list (RFC 9110
/// §5.3), and empty entries do not count. If a list has such a name or entry, every other entry in the form of a signed
/// or encrypted token is a token too.
public enum TokenOffer: Hashable, Sendable {
    /// Neither a name nor a token is offered.
    case none
    /// A name without a token after it.
    case incomplete
    /// More than one name or token, a token that does not follow the name, or more than one field.
    case several
    /// The range of the token. Not checked: that these bytes have the form of a token.
    case token(Range<Int>)
    /// The range of the base64url-encoded token. Not checked: that the bytes are base64url.
    case encodedToken(Range<Int>)
}

/// Kind of one entry in the list of subprotocols.
enum OfferedEntry {
    /// A subprotocol for the application.
    case application
    /// The name that precedes a token.
    case name
    case token
    case encodedToken
}

extension HeaderSection {
    /// The token that is offered in `Sec-WebSocket-Protocol` after this name.
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

    /// Calls `body` with each non-empty entry of the list, in order.
    func forEachOffered(behind names: [TokenProtocol], _ body: (Range<Int>, OfferedEntry) -> Void) {
        var offersToken = false
        forEachProtocol { range in offersToken = offersToken || beginning(of: range, behind: names) != nil }
        var wasName = false
        forEachProtocol { range in
            // Without a name and an encoded token, the whole list belongs to the application.
            let entry = offersToken ? offeredEntry(range, behind: names, isBehindName: wasName) : .application
            wasName = entry == .name
            body(range, entry)
        }
    }

    private func forEachProtocol(_ body: (Range<Int>) -> Void) {
        for field in fields where field.known == .secWebSocketProtocol && field.value.upperBound <= bytes.count {
            var elements = ListElements(field.value)
            while let range = elements.next(in: bytes.span) {
                if !range.isEmpty { body(range) }
            }
        }
    }

    /// The kind of an entry. A token is recognised anywhere in the list: a second one, or one before the name, must not
    /// reach an upstream as an application's subprotocol.
    private func offeredEntry(_ range: Range<Int>, behind names: [TokenProtocol], isBehindName: Bool) -> OfferedEntry {
        if let entry = beginning(of: range, behind: names) { return entry }
        return isBehindName || bytes.span.extracting(range).isFormedAsToken ? .token : .application
    }

    /// The kind of an entry whose own text shows that a token is offered. Nil for any other entry.
    private func beginning(of range: Range<Int>, behind names: [TokenProtocol]) -> OfferedEntry? {
        let value = bytes.span.extracting(range)
        for name in names where name.matches(value) { return .name }
        return value.hasPrefix(TokenProtocol.encodedPrefix) ? .encodedToken : nil
    }

    /// The range after the last dot. Base64url has no dots.
    private func encodedPart(of range: Range<Int>) -> Range<Int> {
        var start = range.upperBound
        while start > range.lowerBound, bytes[start &- 1] != ASCII.dot { start &-= 1 }
        return start..<range.upperBound
    }
}

extension Span<UInt8> {
    /// True if the bytes have the form of a compact JWS or JWE: three or five parts of base64url, the first of them a
    /// JSON object (RFC 7515 §3.1, RFC 7516 §3.1). A part may be empty.
    fileprivate var isFormedAsToken: Bool {
        guard beginsAsHeader else { return false }
        var dots = 0
        for index in indices {
            if self[index] == ASCII.dot { dots &+= 1 } else if !ASCII.isBase64URL(self[index]) { return false }
        }
        return dots == 2 || dots == 4
    }

    /// True if the bytes begin like a base64url-encoded JOSE header: `{"` and a letter, or `{` and a space, tab, CR or
    /// LF.
    private var beginsAsHeader: Bool {
        guard count > 3, self[0] == UInt8(ascii: "e") else { return false }  // in bounds: longer than three bytes
        return switch (self[1], self[2]) {  // in bounds: longer than three bytes
        case (UInt8(ascii: "y"), UInt8(ascii: "J")), (UInt8(ascii: "y"), UInt8(ascii: "A")): true
        case (UInt8(ascii: "w"), UInt8(ascii: "k")), (UInt8(ascii: "w"), UInt8(ascii: "0")),
            (UInt8(ascii: "w"), UInt8(ascii: "o")):
            true
        default: false
        }
    }
}

extension RequestHead {
    /// The range of a token that was decoded from a field. Its bytes follow those of the head. Nil if none was decoded.
    public var decodedToken: Range<Int>? { section.decodedToken }

    /// Appends a token that a field holds in another encoding to the head's bytes, so that it has a range there. Only
    /// the first call has an effect.
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
