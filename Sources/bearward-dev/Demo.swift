/// A running demo, which can print its guide and check its own requests.
protocol Demo: Sendable {
    /// Text with everything that a user needs to try the demo.
    func guide() throws(CommandFailure) -> String
    /// Makes all requests of the demo, and compares the answers with the expected ones.
    func outcomes() async throws(CommandFailure) -> [DemoOutcome]
    func stop() async
}
