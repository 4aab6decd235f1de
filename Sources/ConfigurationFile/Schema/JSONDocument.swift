import StrictJSON

/// JSON value for output, with object members in a fixed order.
indirect enum JSONDocument: Sendable {
    case string(String)
    case number(Int)
    case boolean(Bool)
    /// Text that is already JSON.
    case raw(String)
    case array([JSONDocument])
    case object([(String, JSONDocument)])

    /// JSON text, indented by two spaces, with a line feed at the end.
    var text: String { text(indent: "") + "\n" }

    private func text(indent: String) -> String {
        let inner = indent + "  "
        return switch self {
        case .string(let text): Self.quoted(text)
        case .number(let number): "\(number)"
        case .boolean(let truth): "\(truth)"
        case .raw(let text): text
        case .array(let elements) where elements.allSatisfy(\.isScalar):
            "[\(elements.map { $0.text(indent: "") }.joined(separator: ", "))]"
        case .array(let elements):
            "[\n" + elements.map { inner + $0.text(indent: inner) }.joined(separator: ",\n") + "\n\(indent)]"
        case .object(let members) where members.isEmpty: "{}"
        case .object(let members):
            "{\n" + members.map { "\(inner)\(Self.quoted($0.0)): \($0.1.text(indent: inner))" }.joined(separator: ",\n")
                + "\n\(indent)}"
        }
    }

    private var isScalar: Bool {
        switch self {
        case .string, .number, .boolean, .raw: true
        case .array, .object: false
        }
    }

    private static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = []
        JSONText.appendString(text.utf8.span, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension JSONDocument: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral
{
    init(stringLiteral text: String) { self = .string(text) }

    init(integerLiteral number: Int) { self = .number(number) }

    init(booleanLiteral truth: Bool) { self = .boolean(truth) }

    init(arrayLiteral elements: JSONDocument...) { self = .array(elements) }
}

extension JSONDocument {
    /// Parses a value as the file has it. Text that is not YAML becomes a string.
    init(yaml: String) {
        self = DocumentParser.parse(Array(yaml.utf8), environment: [:]).root.map(Self.init) ?? .string(yaml)
    }

    private init(_ node: DocumentNode) {
        switch node.content {
        case .scalar(let scalar) where scalar.isPlain && Self.isLiteral(scalar.text): self = .raw(scalar.text)
        case .scalar(let scalar): self = .string(scalar.text)
        case .sequence(let elements): self = .array(elements.map(Self.init))
        case .mapping(let members): self = .object(members.map { ($0.key, Self($0.value)) })
        case .unusable: self = .string("")
        }
    }

    private static func isLiteral(_ text: String) -> Bool {
        ["true", "false"].contains(text) || (Int(text).map { String($0) } == text)
    }
}
