/// A demo that runs: what is printed of it, and what is asked of it.
protocol Demo: Sendable {
    /// All that a user needs to try it.
    func guide() throws(CommandFailure) -> String
    /// Makes all of its requests and compares what comes.
    func outcomes() async throws(CommandFailure) -> [DemoOutcome]
    func stop() async
}
