/// Pattern for the accepted strings of a claim, matched byte by byte.
///
/// `*` matches one or more bytes other than `/` and `:`, and `**` one or more of any. `\` makes the next `*` or `\`
/// literal. The pattern must match the whole text, and case matters.
public struct ClaimPattern: Sendable, Hashable, CustomStringConvertible {
    /// Part of a pattern: a literal byte or a wildcard.
    enum Element: Sendable, Hashable {
        case byte(UInt8)
        case anyInSegment
        case any

        var isWildcard: Bool {
            if case .byte = self { false } else { true }
        }

        func accepts(_ byte: UInt8) -> Bool {
            switch self {
            case .byte(let own): own == byte
            case .anyInSegment: byte != UInt8(ascii: "/") && byte != UInt8(ascii: ":")
            case .any: true
            }
        }
    }

    /// Largest number of wildcards. A pattern with more is hard to read.
    public static let mostWildcards = 4
    /// Greatest length of a pattern, in bytes. It bounds the time to match a text.
    public static let longest = 256

    public let description: String
    let elements: [Element]

    public init(_ text: String) throws(ClaimPatternRejection) {
        guard !text.isEmpty else { throw .empty }
        guard text.utf8.count <= Self.longest else { throw .tooLong }
        elements = try Self.elements(of: text)
        description = text
        let wildcards = elements.count(where: \.isWildcard)
        guard wildcards <= Self.mostWildcards else { throw .tooManyWildcards }
        guard wildcards < elements.count else { throw .onlyWildcards }
    }

    private static func elements(of text: String) throws(ClaimPatternRejection) -> [Element] {
        var elements: [Element] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst(), [UInt8(ascii: "*"), UInt8(ascii: "\\")].contains(escaped) else {
                    throw .invalidEscape
                }
                elements.append(.byte(escaped))
            case UInt8(ascii: "*"):
                // Two adjacent wildcards could divide their text in more than one way.
                guard elements.last?.isWildcard != true else { throw .adjacentWildcards }
                let isDouble = rest.first == byte
                if isDouble { rest.removeFirst() }
                elements.append(isDouble ? .any : .anyInSegment)
            default: elements.append(.byte(byte))
            }
        }
        return elements
    }

    /// Compares the parsed patterns, byte for byte.
    public static func == (left: ClaimPattern, right: ClaimPattern) -> Bool { left.elements == right.elements }

    public func hash(into hasher: inout Hasher) { hasher.combine(elements) }

    /// True if the whole text matches.
    public func matches(_ text: Span<UInt8>) -> Bool {
        var steps = 0
        return matches(text, steps: &steps)
    }

    /// - Parameter steps: counts the comparisons of a byte with an element: at most one for each pair.
    func matches(_ text: Span<UInt8>, steps: inout Int) -> Bool {
        // Each element matches at least one byte.
        guard text.count >= elements.count else { return false }
        let literal = elements.prefix { !$0.isWildcard }.count
        for index in 0..<literal {
            steps &+= 1
            guard elements[index].accepts(text[index]) else { return false }
        }
        guard literal < elements.count else { return text.count == literal }
        // True at index `n` if the first `n` elements can match all bytes so far.
        var reached = [Bool](repeating: false, count: elements.count &+ 1)
        reached[literal] = true
        for position in literal..<text.count {
            let byte = text[position]
            var isAlive = false
            // Backwards, so that `reached[count - 1]` is still the result for the previous byte.
            for count in stride(from: elements.count, to: literal, by: -1) {
                steps &+= 1
                let element = elements[count &- 1]
                let isReached = (reached[count &- 1] || reached[count] && element.isWildcard) && element.accepts(byte)
                reached[count] = isReached
                isAlive = isAlive || isReached
            }
            reached[literal] = false
            guard isAlive else { return false }
        }
        return reached[elements.count]
    }
}

/// Reason why a text is not a pattern.
public enum ClaimPatternRejection: Error, Hashable, Sendable {
    case empty
    case tooLong
    case tooManyWildcards
    /// The pattern has only wildcards, so it would accept nearly every value. Rules require values of a claim, not its
    /// presence.
    case onlyWildcards
    case adjacentWildcards
    case invalidEscape
}
