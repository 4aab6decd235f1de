/// Text about a rejection reason in the reference (`docs/reasons.md`): the cause, and what to do.
public struct ReasonText: Sendable, Hashable {
    public let cause: String
    public let remedy: String

    public init(cause: String, remedy: String) {
        self.cause = cause
        self.remedy = remedy
    }
}
