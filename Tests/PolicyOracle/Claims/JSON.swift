/// A JSON value as in a token.
public indirect enum JSON: Hashable, Sendable {
    case null
    case boolean(Bool)
    /// An integer of 64 bits.
    case integer(Int)
    /// Any other number, as written: `3.0`, `1e3`, or an integer beyond 64 bits.
    case number(String)
    case text(String)
    case array([JSON])
    case object([String: JSON])

    /// Array of texts.
    public static func texts(_ texts: [String]) -> JSON { .array(texts.map(JSON.text)) }

    /// Its JSON text (RFC 8259), with members in the order of their names.
    public var written: String {
        switch self {
        case .null: "null"
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .number(let spelling): spelling
        case .text(let text): Self.quoted(text)
        case .array(let elements): "[\(elements.map(\.written).joined(separator: ","))]"
        case .object(let members): "{\(Self.written(members))}"
        }
    }

    private static func written(_ members: [String: JSON]) -> String {
        members.sorted { $0.key < $1.key }.map { "\(quoted($0.key)):\($0.value.written)" }.joined(separator: ",")
    }

    /// A text in double quotes, which YAML reads as JSON does.
    static func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"": "\\\""
            case "\\": "\\\\"
            case "\0"..."\u{1F}", "\u{7F}": "\\u00\(scalar.value < 16 ? "0" : "")\(String(scalar.value, radix: 16))"
            default: String(scalar)
            }
        }
        return "\"\(escaped.joined())\""
    }

    /// The number value. Nil if it is no number, or an integer beyond 64 bits, which equals nothing.
    var value: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let spelling) where spelling.contains { ".eE".contains($0) }: Double(spelling)
        case .null, .boolean, .number, .text, .array, .object: nil
        }
    }
}
