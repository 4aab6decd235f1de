import HTTPMessages

/// Why a proxy's question states no request: for an operator, and never for a client.
public enum DoorQuestionFault: Error, Hashable, Sendable {
    case missing(FieldName)
    case repeated(FieldName)
    case empty(FieldName)
    /// `Connection` would have a proxy between remove it, so that it might be the client's (RFC 9110 §7.6.1).
    case nominated(FieldName)
    case notScheme(FieldName)
    case noHost
    /// The method or the target cannot stand in a request line, or the host in a field.
    case notWritable
}

extension DoorQuestionFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .missing(let name): "`\(name.text)` is missing"
        case .repeated(let name): "`\(name.text)` is there more than once"
        case .empty(let name): "`\(name.text)` is empty"
        case .nominated(let name): "`Connection` names `\(name.text)`"
        case .notScheme(let name): "`\(name.text)` is neither `http` nor `https`"
        case .noHost: "the question has no host"
        case .notWritable: "what is stated cannot stand in a request"
        }
    }
}

extension FieldName {
    fileprivate var text: String { String(decoding: spelling, as: UTF8.self) }
}
