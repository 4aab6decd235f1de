import Synchronization

/// Number of requests for each path, and number of connections.
final class RequestTally: Sendable {
    private let counts = Mutex<[String: Int]>([:])
    private let connections = Mutex(0)

    func add(_ path: String) {
        counts.withLock { $0[path, default: 0] += 1 }
    }

    func count(of path: String) -> Int {
        counts.withLock { $0[path] ?? 0 }
    }

    func addConnection() {
        connections.withLock { $0 += 1 }
    }

    var connectionCount: Int { connections.withLock { $0 } }
}
