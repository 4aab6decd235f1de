/// Settings of the latest refusals and heaviest callers that event loops keep for the admin listener.
public struct HistorySettings: Sendable, Hashable {
    /// Most bytes of the latest refusals, over all event loops. Each has an equal part.
    public var refusals: Int

    public init(refusals: Int = 4 * 1024 * 1024) {
        self.refusals = refusals
    }
}
