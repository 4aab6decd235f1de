/// Reason to refuse a JSON text.
public enum JSONRejection: Error, Hashable, Sendable {
    /// The text has more bytes than the limit.
    case tooLarge
    /// The text is empty or only white space.
    case empty
    /// Arrays and objects are nested deeper than the limit.
    case tooDeep
    /// An object has more members than the limit.
    case tooManyMembers
    /// An object has two members with the same unescaped name. RFC 8259 §4 leaves the meaning open, so two readers may
    /// differ.
    case duplicateMember
    /// The text has bytes that are not UTF-8, including overlong forms and encoded surrogates (RFC 8259 §8.1).
    case notUTF8
    /// The text begins with U+FEFF.
    case byteOrderMark
    /// The text has U+0000, raw or escaped, inside or outside of strings.
    case nullCharacter
    /// A number with a fraction or an exponent is too large for a finite real.
    case numberOutOfRange
    /// The value is followed by something other than white space.
    case trailingBytes
    /// The top level is a string, a number or a literal, or the text is not JSON at all.
    case notObjectOrArray
    /// The parser ran out of memory. The text may be valid.
    case outOfMemory
    /// The text breaks the grammar of JSON. Line and column count from 1.
    case malformed(line: Int, column: Int)
}

extension JSONRejection: CustomStringConvertible {
    /// Description for operators, to be written after the name of the text.
    public var description: String {
        switch self {
        case .tooLarge: "exceeds the size limit"
        case .empty: "is empty"
        case .tooDeep: "is nested too deeply"
        case .tooManyMembers: "has an object with too many members"
        case .duplicateMember: "has an object that names a member twice"
        case .notUTF8: "is not UTF-8"
        case .byteOrderMark: "begins with a byte order mark (U+FEFF)"
        case .nullCharacter: "has a null character"
        case .numberOutOfRange: "has a number that is out of range"
        case .trailingBytes: "has more text after the JSON value"
        case .notObjectOrArray: "is not a JSON object or array"
        case .outOfMemory: "could not be read: memory ran out"
        case .malformed(let line, let column): "is not JSON: line \(line), column \(column)"
        }
    }
}
