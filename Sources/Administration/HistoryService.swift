/// Callbacks of what the gateway remembers of its requests. Called for every request about it.
public struct HistoryService: Sendable {
    /// Latest refused requests. Nil if none are kept.
    let refusals: @Sendable () async -> RefusalList?
    /// Heaviest callers. Nil if they are not counted.
    let callers: @Sendable () async -> CallerList?
    /// Callers whom a rule permitted, by resource and rule. Nil if they are not counted.
    let passed: @Sendable (_ resource: String, _ rule: String) async -> PassedList?

    public init(
        refusals: @escaping @Sendable () async -> RefusalList? = { nil },
        callers: @escaping @Sendable () async -> CallerList? = { nil },
        passed: @escaping @Sendable (_ resource: String, _ rule: String) async -> PassedList? = { _, _ in nil }
    ) {
        self.refusals = refusals
        self.callers = callers
        self.passed = passed
    }

    /// Words of the answer if nothing is kept although the file asks for it.
    static let absence = "the gateway keeps nothing yet, or is shutting down"
}
