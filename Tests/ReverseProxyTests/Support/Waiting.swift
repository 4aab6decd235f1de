import Testing

/// Whether something comes to hold in time. Only for callers that judge the answer themselves.
func holds(within limit: Duration = .seconds(10), _ condition: () -> Bool) async throws -> Bool {
    let end = ContinuousClock.now + limit
    while !condition() {
        guard ContinuousClock.now < end else { return condition() }
        try await Task.sleep(for: .milliseconds(2))
    }
    return true
}

/// Waits until something holds; if it does not in time, the test has failed.
func eventually(
    within limit: Duration = .seconds(10), sourceLocation: SourceLocation = #_sourceLocation, _ condition: () -> Bool
) async throws {
    guard try await !holds(within: limit, condition) else { return }
    Issue.record("What was waited for did not happen within \(limit)", sourceLocation: sourceLocation)
}

extension GatewayFixture {
    /// Waits until the one event loop of the gateway has handled everything that reached its sockets before the call.
    ///
    /// Sockets that are ready at once are handled in any order, hence two round trips. Each leaves a line in the access log.
    func settle() async throws {
        let probe = try await connect()
        for _ in 0..<2 {
            probe.send("GET /private HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try await probe.receive(through: "}")
        }
        probe.close()
    }
}
