import Synchronization
import UpstreamFleets

/// Closes idle connections on their own event loops, so that a request of another loop gets the slot of one.
final class IdleClosers: Sendable {
    /// Closes one of a fleet's idle connections to the target of a choice, and then calls back, on any thread.
    typealias Closer = @Sendable (SharedFleet, FleetChoice, _ completion: @escaping @Sendable () -> Void) -> Void

    /// Closers by the number of their event loop.
    private let closers = Mutex<[Int: Closer]>([:])

    func add(on loop: Int, _ closer: @escaping Closer) {
        closers.withLock { $0[loop] = closer }
    }

    /// Removes the closer of a loop that stops, with all of its connections.
    func remove(on loop: Int) {
        _ = closers.withLock { $0.removeValue(forKey: loop) }
    }

    func close(of fleet: SharedFleet, _ choice: FleetChoice, on loop: Int, _ completion: @escaping @Sendable () -> Void)
    {
        guard let closer = closers.withLock({ $0[loop] }) else {
            fleet.idleReplaced(choice, ended: 0)
            return completion()
        }
        closer(fleet, choice, completion)
    }
}
