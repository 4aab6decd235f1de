import Synchronization
import UpstreamFleets

/// Has event loops close an idle connection, so that a request of another loop can have its place.
final class IdleClosers: Sendable {
    /// Closes one of a fleet's idle connections to the target of a choice, and then calls back; on any thread.
    typealias Closer = @Sendable (SharedFleet, FleetChoice, _ completion: @escaping @Sendable () -> Void) -> Void

    /// By the number of the loop.
    private let closers = Mutex<[Int: Closer]>([:])

    func add(on loop: Int, _ closer: @escaping Closer) {
        closers.withLock { $0[loop] = closer }
    }

    /// The loop ends, with all of its connections.
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
