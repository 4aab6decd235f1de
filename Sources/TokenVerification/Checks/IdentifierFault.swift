import StrictJSON

/// Reason why a claim cannot identify anybody or anything, such as a subject.
public enum IdentifierFault: Error, Sendable, Hashable {
    /// An integer that no 64 bits hold.
    case beyondInteger
    /// `-0`, which some readers take for 0.
    case minusZero
    /// A number with a fraction or an exponent.
    case fractional
    /// No string and no number.
    case otherKind(JSONValue.Kind)
    case empty
    case tooLong(Int, most: Int)
    case controlCharacter

    /// The fault of a claim that is no identifier; nil for one that is.
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

    /// Description of the fault for a sentence about the claim. Never contains the claim's value.
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
    /// The subject that a claim is.
    ///
    /// - Parameter longest: in bytes of UTF-8.
    func subject(longest: Int) throws(IdentifierFault) -> String {
        guard let text = identifier else { throw IdentifierFault(of: self) ?? .empty }
        guard !text.isEmpty else { throw .empty }
        guard text.utf8.count <= longest else { throw .tooLong(text.utf8.count, most: longest) }
        guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { throw .controlCharacter }
        return text
    }

    /// True if a subject can be this.
    func isSubject(longest: Int) -> Bool { (try? subject(longest: longest)) != nil }
}

extension JSONValue.Kind {
    /// Name of the kind of claim, for a sentence.
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
