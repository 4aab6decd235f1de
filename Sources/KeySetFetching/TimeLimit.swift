/// Runs work with a time limit for all of its steps together.
public enum TimeLimit {
    /// Returns the result, or nil if the time is over. Then the work is cancelled, and this call waits for its end.
    public static func run<Result: Sendable>(within limit: Duration, _ work: @escaping @Sendable () async -> Result)
        async
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
