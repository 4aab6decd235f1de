import Foundation
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import ReverseProxy

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
    /// Stops the one event loop of the gateway: what reaches its sockets from now on is handled in one turn, in the
    /// order of arrival.
    ///
    /// - Returns: lets it go on.
    func hold() async -> @Sendable () -> Void {
        let gate = Gate()
        await withCheckedContinuation { held in
            gateway.group.next().execute {
                held.resume()
                gate.wait()
            }
        }
        return { gate.open() }
    }

    /// Waits until the one event loop of the gateway has handled everything that reached its sockets before the call.
    ///
    /// Sockets that are ready at once are handled in any order, hence two round trips. Each leaves a line in the access
    /// log.
    func settle() async throws {
        let probe = try await connect()
        for _ in 0..<2 {
            probe.send("GET /private HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try await probe.receive(through: "}")
        }
        probe.close()
    }
}

/// Gate at which a thread waits until it is opened.
private final class Gate: Sendable {
    private let condition = NSCondition()
    private let isOpen = Mutex(false)

    func wait() {
        condition.lock()
        while !isOpen.withLock({ $0 }) { condition.wait() }
        condition.unlock()
    }

    func open() {
        condition.lock()
        isOpen.withLock { $0 = true }
        condition.broadcast()
        condition.unlock()
    }
}
