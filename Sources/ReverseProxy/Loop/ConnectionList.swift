/// A client connection, as its event loop sees it.
protocol LoopConnection: AnyObject {
    /// Index in the loop's ``ConnectionList``.
    var slot: Int { get set }

    /// Called at each tick of the loop's clock.
    func tick(_ tick: UInt64)
    /// Called when the deny list changed.
    func denialsChanged()
    /// Called when memory is short: frees storage that is kept only in case it is needed.
    func memoryIsShort()
    /// Called when the memory level changed: continues reading, or stops it and withholds windows.
    func followMemory()
    /// Called when the gateway drains: closes the connection once it is idle.
    func drain()
    /// Called when the gateway stops: closes the connection now.
    func stop()
}

/// Client connections of one event loop.
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

    /// Calls the closure for each connection. Iterates over a copy, because connections that close leave the list.
    func forEach(_ body: (any LoopConnection) -> Void) {
        for connection in connections { body(connection) }
    }
}

@available(*, unavailable)
extension ConnectionList: Sendable {}
