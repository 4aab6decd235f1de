import Foundation
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import ReverseProxy

/// True if the condition holds in time. Only for callers that check the result themselves.
func holds(within limit: Duration = .seconds(10), _ condition: () -> Bool) async throws -> Bool {
    let end = ContinuousClock.now + limit
    while !condition() {
        guard ContinuousClock.now < end else { return condition() }
        try await Task.sleep(for: .milliseconds(2))
    }
    return true
}

/// Waits until the condition holds. Fails the test if it does not in time.
func eventually(
    within limit: Duration = .seconds(10), sourceLocation: SourceLocation = #_sourceLocation, _ condition: () -> Bool
) async throws {
    guard try await !holds(within: limit, condition) else { return }
    Issue.record("What was waited for did not happen within \(limit)", sourceLocation: sourceLocation)
}

extension GatewayFixture {
    /// Blocks the one event loop of the gateway. Bytes that reach its sockets meanwhile are handled in one turn, in the
    /// order of arrival.
    ///
    /// - Returns: a function that unblocks the event loop.
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

    /// Waits until the one event loop of the gateway has handled all bytes that reached its sockets before the call.
    ///
    /// Sockets that are ready at the same time are handled in any order, hence two round trips. Each leaves a line in
    /// the access log.
    func settle() async throws {
        let probe = try await connect()
        for _ in 0..<2 {
            probe.send("GET /private HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try await probe.receive(through: "}")
        }
        probe.close()
    }
}

/// A gate that blocks a thread until it is opened.
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
