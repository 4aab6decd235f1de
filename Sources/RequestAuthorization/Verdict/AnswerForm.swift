import HTTPMessages

/// Reader of a response that the gateway itself generates: the client, or a proxy that uses forward auth (doors) and
/// builds the client's response from it.
public enum AnswerForm: Sendable, Hashable {
    case client
    /// A proxy that understands only 2xx, 401 and 403. The client's status and content are in header fields; the status
    /// line only refuses.
    case fields
    /// Our own program inside a proxy. A marker field says that this is an answer, so that nothing else is mistaken for
    /// one.
    case marked

    /// The status code to write in the status line, for a response whose status to the client is `status`.
    func wireStatus(of status: Int) -> Int {
        self == .fields && status != AnswerStatus.unauthorized.rawValue ? AnswerStatus.forbidden.rawValue : status
    }
}
