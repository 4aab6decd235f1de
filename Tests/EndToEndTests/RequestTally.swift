import Synchronization

/// How often each path was asked for.
final class RequestTally: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    func add(_ path: String) {
        counts.withLock { $0[path, default: 0] += 1 }
    }

    func count(of path: String) -> Int {
        counts.withLock { $0[path] ?? 0 }
    }
}
