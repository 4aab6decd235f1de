import HTTPMessages

/// Reason why a proxy's question states no valid request. It is shown to operators, never to a client.
public enum DoorQuestionFault: Error, Hashable, Sendable {
    case missing(FieldName)
    case repeated(FieldName)
    case empty(FieldName)
    /// `Connection` names the field, so an intermediate proxy would remove it, and a field of the client might take its
    /// place (RFC 9110 §7.6.1).
    case nominated(FieldName)
    case notScheme(FieldName)
    case noHost
    /// The method or target is invalid in a request line, or the host in a field.
    case notWritable
}

extension DoorQuestionFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .missing(let name): "`\(name.text)` is missing"
        case .repeated(let name): "`\(name.text)` occurs more than once"
        case .empty(let name): "`\(name.text)` is empty"
        case .nominated(let name): "`Connection` names `\(name.text)`"
        case .notScheme(let name): "`\(name.text)` is neither `http` nor `https`"
        case .noHost: "the question has no host"
        case .notWritable: "a stated value is invalid in a request"
        }
    }
}

extension FieldName {
    fileprivate var text: String { String(decoding: spelling, as: UTF8.self) }
}
