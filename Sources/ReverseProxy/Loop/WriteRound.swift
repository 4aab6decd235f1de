import NIOCore

/// A connection that gathers what it writes until the event loop has handled all that arrived.
protocol GatheringConnection: AnyObject {
    /// Whether it is in the list of those that write when the round ends.
    var awaitsRoundEnd: Bool { get set }

    /// Writes everything that was gathered, as far as its channel takes it.
    func writeGathered()
}

/// The connections of one event loop that have something to write: each writes once when the round ends, instead of
/// once for every answer.
///
/// Its `@exclusivity(unchecked)` properties are confined to the loop, and passed `inout` to nothing that writes to a
/// channel.
final class WriteRound {
    private let eventLoop: any EventLoop
    @safe @exclusivity(unchecked) private var connections: ContiguousArray<any GatheringConnection> = []

    init(on eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// Has the connection write when the present round ends.
    func add(_ connection: any GatheringConnection) {
        guard !connection.awaitsRoundEnd else { return }
        connection.awaitsRoundEnd = true
        connections.append(connection)
        guard connections.count == 1 else { return }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.execute { bound.value.end() }
    }

    /// What a connection writes can give others something to write; they have their turn in the next round.
    private func end() {
        var ready: ContiguousArray<any GatheringConnection> = []
        swap(&ready, &connections)
        for connection in ready {
            connection.awaitsRoundEnd = false
            connection.writeGathered()
        }
        guard connections.isEmpty else { return }
        // The storage is used again.
        ready.removeAll(keepingCapacity: ready.capacity <= 1024)
        connections = ready
    }
}

@available(*, unavailable)
extension WriteRound: Sendable {}
