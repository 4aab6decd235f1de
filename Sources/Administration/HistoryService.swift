/// Callbacks of what the gateway remembers of its requests. Called for every request about it.
public struct HistoryService: Sendable {
    /// Latest refused requests. Nil if none are kept.
    let refusals: @Sendable () async -> RefusalList?
    /// Heaviest callers. Nil if they are not counted.
    let callers: @Sendable () async -> CallerList?

    public init(
        refusals: @escaping @Sendable () async -> RefusalList? = { nil },
        callers: @escaping @Sendable () async -> CallerList? = { nil }
    ) {
        self.refusals = refusals
        self.callers = callers
    }

    /// Words of the answer if nothing is kept although the file asks for it.
    static let absence = "the gateway keeps nothing yet, or is shutting down"
}
