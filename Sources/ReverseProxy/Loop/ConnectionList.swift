/// A connection from a client as its event loop sees it.
protocol LoopConnection: AnyObject {
    /// Its index in the loop's list.
    var slot: Int { get set }

    /// The loop's clock advanced.
    func tick(_ tick: UInt64)
    /// The deny list changed.
    func denialsChanged()
    /// Memory is short: what is only kept in case it is needed is let go of.
    func memoryIsShort()
    /// There is more memory, or less: reading continues, or windows are withheld.
    func followMemory()
    /// The gateway drains: the connection ends once it is idle.
    func drain()
    /// The gateway stops: the connection ends now.
    func stop()
}

/// The connections of one event loop.
final class ConnectionList {
    private var connections: [any LoopConnection] = []

    func add(_ connection: any LoopConnection) {
        connection.slot = connections.count
        connections.append(connection)
    }

    /// Removes a connection in constant time: the last one takes its slot.
    func remove(_ connection: any LoopConnection) {
        let slot = connection.slot
        guard connections.indices.contains(slot), connections[slot] === connection, let last = connections.popLast()
        else { return }
        guard last !== connection else { return }
        connections[slot] = last
        last.slot = slot
    }

    /// Calls each with a copy of the list, because connections that end leave it.
    func forEach(_ body: (any LoopConnection) -> Void) {
        for connection in connections { body(connection) }
    }
}

@available(*, unavailable)
extension ConnectionList: Sendable {}
