/// Reason why a JSON text was refused.
public enum JSONRejection: Error, Hashable, Sendable {
    /// More bytes than the limit.
    case tooLarge
    /// No byte but white space.
    case empty
    /// Arrays and objects nested deeper than the limit.
    case tooDeep
    /// An object with more members than the limit.
    case tooManyMembers
    /// One object names a member twice, after unescaping (RFC 8259 §4 leaves the meaning open, so two readers may
    /// differ).
    case duplicateMember
    /// A byte sequence that is not UTF-8, overlong forms and encoded surrogates included (RFC 8259 §8.1).
    case notUTF8
    /// The text begins with U+FEFF.
    case byteOrderMark
    /// U+0000, raw or escaped, in a name or a string or between them.
    case nullCharacter
    /// A number with a fraction or an exponent that is too large for a finite real.
    case numberOutOfRange
    /// Something other than white space follows the value.
    case trailingBytes
    /// The top level is a string, a number, a literal, or no JSON at all.
    case notObjectOrArray
    /// The parser had no memory; says nothing about the text.
    case outOfMemory
    /// Not JSON by its grammar; line and column count from 1.
    case malformed(line: Int, column: Int)
}

extension JSONRejection: CustomStringConvertible {
    /// For operators; reads as what follows the text's name.
    public var description: String {
        switch self {
        case .tooLarge: "is larger than is read"
        case .empty: "is empty"
        case .tooDeep: "is nested too deeply"
        case .tooManyMembers: "has an object with too many members"
        case .duplicateMember: "has an object that names a member twice"
        case .notUTF8: "is not UTF-8"
        case .byteOrderMark: "begins with a byte order mark (U+FEFF)"
        case .nullCharacter: "has a null character"
        case .numberOutOfRange: "has a number that is out of range"
        case .trailingBytes: "has something behind the JSON value"
        case .notObjectOrArray: "is not a JSON object or array"
        case .outOfMemory: "could not be read: memory ran out"
        case .malformed(let line, let column): "is not JSON: line \(line), column \(column)"
        }
    }
}
