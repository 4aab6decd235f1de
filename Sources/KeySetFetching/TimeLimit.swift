/// Ends what takes too long, whichever of its steps does.
enum TimeLimit {
    /// The result, or nil if the time is over; what still runs is then cancelled, and waited for.
    static func run<Result: Sendable>(within limit: Duration, _ work: @escaping @Sendable () async -> Result) async
        -> Result?
    {
        await withTaskGroup(of: Result?.self) { group in
            group.addTask { await work() }
            group.addTask {
                try? await Task.sleep(for: limit)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
    }
}
