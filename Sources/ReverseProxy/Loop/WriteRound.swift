import NIOCore

/// A connection that gathers its output until the event loop has handled all events that arrived.
protocol GatheringConnection: AnyObject {
    /// True if it is in the list of connections that write when the round ends.
    var awaitsRoundEnd: Bool { get set }

    /// Writes the gathered output, as far as its channel accepts it.
    func writeGathered()
}

/// Connections of one event loop with output to write. Each writes once when the round ends, instead of once for every
/// answer.
///
/// Its `@exclusivity(unchecked)` properties are confined to the loop, and never passed `inout` to code that writes to a
/// channel.
final class WriteRound {
    private let eventLoop: any EventLoop
    @safe @exclusivity(unchecked) private var connections: ContiguousArray<any GatheringConnection> = []

    init(on eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// Schedules the connection to write when the current round ends.
    func add(_ connection: any GatheringConnection) {
        guard !connection.awaitsRoundEnd else { return }
        connection.awaitsRoundEnd = true
        connections.append(connection)
        guard connections.count == 1 else { return }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.execute { bound.value.end() }
    }

    /// Writes the output of all connections. A write can give other connections something to write; they write in the
    /// next round.
    private func end() {
        var ready: ContiguousArray<any GatheringConnection> = []
        swap(&ready, &connections)
        for connection in ready {
            connection.awaitsRoundEnd = false
            connection.writeGathered()
        }
        guard connections.isEmpty else { return }
        // Reuse the storage.
        ready.removeAll(keepingCapacity: ready.capacity <= 1024)
        connections = ready
    }
}

@available(*, unavailable)
extension WriteRound: Sendable {}
