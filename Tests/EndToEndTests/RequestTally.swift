import Synchronization

/// How often each path was asked for, and how many connections there were.
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
