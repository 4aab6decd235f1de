import StrictJSON

/// Reason why a claim is not a valid identifier, for example of a subject.
public enum IdentifierFault: Error, Sendable, Hashable {
    /// An integer that does not fit into 64 bits.
    case beyondInteger
    /// `-0`, which some parsers read as 0.
    case minusZero
    /// A number with a fraction or an exponent.
    case fractional
    /// Neither a string nor a number.
    case otherKind(JSONValue.Kind)
    case empty
    case tooLong(Int, most: Int)
    case controlCharacter

    /// Finds the fault of a claim. Nil if the claim is an identifier.
    public init?(of claim: JSONValue) {
        guard claim.identifier == nil else { return nil }
        self =
            switch claim.kind {
            case .real where claim.isBeyondInteger: .beyondInteger
            case .real where claim.oddInteger != nil: .minusZero
            case .real: .fractional
            case let kind: .otherKind(kind)
            }
    }

    /// Description of the fault, to follow the claim's name. Never contains the claim's value.
    public var text: String {
        switch self {
        case .beyondInteger: "is an integer beyond 64 bits"
        case .minusZero: "is -0"
        case .fractional: "is a number with a fraction or an exponent"
        case .otherKind(let kind): "is \(kind.text), not text"
        case .empty: "is empty"
        case .tooLong(let count, let most): "is \(count) bytes long; accepted: at most \(most)"
        case .controlCharacter: "has a control character"
        }
    }
}

extension JSONValue {
    /// Reads the claim as a subject: an identifier that is not empty, not too long, and without ASCII control
    /// characters.
    ///
    /// - Parameter longest: greatest length, in bytes of UTF-8.
    func subject(longest: Int) throws(IdentifierFault) -> String {
        guard let text = identifier else { throw IdentifierFault(of: self) ?? .empty }
        guard !text.isEmpty else { throw .empty }
        guard text.utf8.count <= longest else { throw .tooLong(text.utf8.count, most: longest) }
        guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { throw .controlCharacter }
        return text
    }

    /// True if the claim is a valid subject of at most this many bytes.
    func isSubject(longest: Int) -> Bool { (try? subject(longest: longest)) != nil }
}

extension JSONValue.Kind {
    /// Name of a JSON type in messages, such as "a number".
    public var text: String {
        switch self {
        case .null: "null"
        case .boolean: "true or false"
        case .integer, .real: "a number"
        case .string: "text"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
