/// Counts of introspection since the beginning.
public struct IntrospectionCounters: Sendable, Hashable {
    /// Questions that went out to the issuer.
    public var asked: UInt64 = 0
    /// Questions that the issuer answered.
    public var answered: UInt64 = 0
    /// Questions that went out and got no answer.
    public var failures: UInt64 = 0
    /// Requests that waited for a question that another had caused.
    public var joined: UInt64 = 0
    /// Requests answered from what is kept; those that read ``IntrospectionStore`` themselves are not among them.
    public var fromCache: UInt64 = 0
    /// Requests turned away unasked: during a pause, or beyond a limit.
    public var turnedAway: UInt64 = 0

    public init() {}
}
