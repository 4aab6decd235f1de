/// What the reference says of a reason: what was wrong, and what to do about it.
public struct ReasonText: Sendable, Hashable {
    public let cause: String
    public let remedy: String

    public init(cause: String, remedy: String) {
        self.cause = cause
        self.remedy = remedy
    }
}
