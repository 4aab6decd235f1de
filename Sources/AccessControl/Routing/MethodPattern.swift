/// Reason why a text is not a set of methods.
public enum MethodPatternRejection: Error, Hashable, Sendable {
    /// Empty text, or nothing between two commas.
    case empty
    /// A space or tab. Methods are separated by commas only.
    case whitespace
    /// A lower-case letter. Methods are case-sensitive (RFC 9110 §9.1), so a lower-case one is another method.
    case lowerCase(String)
    /// A character that is not allowed in methods (RFC 9110 §5.6.2).
    case notAToken(String)
    /// CONNECT or TRACE, which are always answered with 405, regardless of rules.
    case connectOrTrace(String)
    /// `ANY` together with other methods.
    case anyBesideOthers
    /// The same method twice.
    case duplicate(String)
}

/// Methods of a rule: `ANY`, or comma-separated tokens. They are in upper case unless the file declares other methods.
public enum MethodPattern: Sendable, Hashable, CustomStringConvertible {
    /// Every method except CONNECT and TRACE.
    case any
    /// Only these methods, in ascending order.
    case tokens([String])

    /// Reads `ANY` or `GET,HEAD`.
    ///
    /// - Parameter own: methods that the file declares. They may have lower-case letters.
    public init(_ text: String, own: Set<String> = []) throws(MethodPatternRejection) {
        guard !text.utf8.contains(where: { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) else {
            throw .whitespace
        }
        var tokens: [String] = []
        for piece in text.split(separator: ",", omittingEmptySubsequences: false) {
            let token = String(piece)
            try Self.judge(token, own)
            guard !tokens.contains(token) else { throw .duplicate(token) }
            tokens.append(token)
        }
        guard tokens.contains("ANY") else {
            self = .tokens(tokens.sorted())
            return
        }
        guard tokens.count == 1 else { throw .anyBesideOthers }
        self = .any
    }

    public var description: String {
        switch self {
        case .any: "ANY"
        case .tokens(let tokens): tokens.joined(separator: ",")
        }
    }

    /// The methods that are named. Empty for `ANY`.
    public var tokens: [String] {
        switch self {
        case .any: []
        case .tokens(let tokens): tokens
        }
    }

    private static func judge(_ token: String, _ own: Set<String>) throws(MethodPatternRejection) {
        guard !token.isEmpty else { throw .empty }
        for byte in token.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                continue
            case UInt8(ascii: "!"), UInt8(ascii: "#")...UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"),
                UInt8(ascii: "-"),
                UInt8(ascii: "."), UInt8(ascii: "^")...UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
                continue
            default: throw .notAToken(token)
            }
        }
        let hasLowerCase = token.utf8.contains { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
        guard !hasLowerCase || own.contains(token) else { throw .lowerCase(token) }
        guard token != "CONNECT", token != "TRACE" else { throw .connectOrTrace(token) }
    }
}
