/// A `glob`, matched as its table says, by trying every length for each wildcard.
public struct ClaimPattern: Hashable, Sendable {
    private enum Piece: Hashable {
        case byte(UInt8)
        /// `*`: one or more bytes other than `/` and `:`.
        case wildcard
        /// `**`: one or more bytes of any kind.
        case wideWildcard
    }

    public let text: String
    private let pieces: [Piece]

    public init(_ text: String) {
        self.text = text
        var pieces: [Piece] = []
        var bytes = Array(text.utf8)[...]
        while let byte = bytes.popFirst() {
            switch byte {
            case UInt8(ascii: "\\"): pieces.append(.byte(bytes.popFirst() ?? byte))
            case UInt8(ascii: "*") where bytes.first == UInt8(ascii: "*"):
                bytes.removeFirst()
                pieces.append(.wideWildcard)
            case UInt8(ascii: "*"): pieces.append(.wildcard)
            default: pieces.append(.byte(byte))
            }
        }
        self.pieces = pieces
    }

    func matches(_ text: String) -> Bool {
        Self.matches(pieces[...], Array(text.utf8)[...])
    }

    private static func matches(_ pieces: ArraySlice<Piece>, _ text: ArraySlice<UInt8>) -> Bool {
        guard let piece = pieces.first, let byte = text.first else { return pieces.isEmpty && text.isEmpty }
        let rest = text.dropFirst()
        switch piece {
        case .byte(let own): return own == byte && matches(pieces.dropFirst(), rest)
        case .wildcard where byte == UInt8(ascii: "/") || byte == UInt8(ascii: ":"): return false
        case .wildcard, .wideWildcard: return matches(pieces.dropFirst(), rest) || matches(pieces, rest)
        }
    }
}
