/// Number of requests that were refused for one reason, since the start of the process.
public struct ReasonCount: Sendable, Hashable {
    /// Label as in the access log and in `bearward_decisions_total`.
    public let reason: String
    /// Status of the answer. Nil if the client left before it was complete.
    public let status: Int?
    public let count: UInt64

    public init(reason: String, status: Int?, count: UInt64) {
        (self.reason, self.status, self.count) = (reason, status, count)
    }
}
