import HTTPMessages

/// Who reads an answer of the gateway's own: its client, or a proxy that asks at a door and makes the client's answer
/// of it.
public enum AnswerForm: Sendable, Hashable {
    case client
    /// A proxy that knows 2xx, 401 and 403 alone: the client's status and content stand in fields, and the status
    /// refuses.
    case fields
    /// A program of ours within a proxy: a mark says that it is an answer, so that nothing else passes for one.
    case marked

    /// The status that stands in the status line.
    func wireStatus(of status: Int) -> Int {
        self == .fields && status != AnswerStatus.unauthorized.rawValue ? AnswerStatus.forbidden.rawValue : status
    }
}
