/// Pattern of the accepted texts of a claim, by bytes.
///
/// `*` is one or more bytes other than `/` and `:`, `**` one or more of any. `\` makes the `*` or `\` after it literal.
/// The whole text must match, and case counts.
public struct ClaimPattern: Sendable, Hashable, CustomStringConvertible {
    /// One place in the pattern.
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

    /// More make a pattern that nobody can read.
    public static let mostWildcards = 4
    /// In bytes; with it the time to match a text is bounded.
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
                // Two in a row would share their text in more than one way.
                guard elements.last?.isWildcard != true else { throw .adjacentWildcards }
                let isDouble = rest.first == byte
                if isDouble { rest.removeFirst() }
                elements.append(isDouble ? .any : .anyInSegment)
            default: elements.append(.byte(byte))
            }
        }
        return elements
    }

    /// Byte for byte.
    public static func == (left: ClaimPattern, right: ClaimPattern) -> Bool { left.elements == right.elements }

    public func hash(into hasher: inout Hasher) { hasher.combine(elements) }

    /// Whether a text matches.
    public func matches(_ text: Span<UInt8>) -> Bool {
        var steps = 0
        return matches(text, steps: &steps)
    }

    /// - Parameter steps: counts the comparisons of a byte with an element: at most one for each pair of them.
    func matches(_ text: Span<UInt8>, steps: inout Int) -> Bool {
        // Each element takes at least one byte.
        guard text.count >= elements.count else { return false }
        let literal = elements.prefix { !$0.isWildcard }.count
        for index in 0..<literal {
            steps &+= 1
            guard elements[index].accepts(text[index]) else { return false }
        }
        guard literal < elements.count else { return text.count == literal }
        // For each number of elements, whether they can have taken all bytes so far.
        var reached = [Bool](repeating: false, count: elements.count &+ 1)
        reached[literal] = true
        for position in literal..<text.count {
            let byte = text[position]
            var isAlive = false
            // From the end, so that what stands before is still that of the byte before.
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
    /// The pattern would accept nearly everything. To ask only that the claim is present, use its values.
    case onlyWildcards
    case adjacentWildcards
    case invalidEscape
}
