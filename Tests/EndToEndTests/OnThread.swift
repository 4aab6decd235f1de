import Foundation

/// Runs blocking work on a new thread. The threads that run tasks are few, and servers in this process need them.
func onThread<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: work()) }
    }
}
