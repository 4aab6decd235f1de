/// Open connections of the admin listener, and what each is used for. A state machine without I/O.
struct AdminConnections {
    typealias ID = ObjectIdentifier

    /// Use of a connection.
    private enum Use {
        /// No request was received yet.
        case none
        /// All requests were for probes.
        case probes
        /// A request for something else was served.
        case others
        /// A request for something else was refused, and the connection closes.
        case refused
    }

    private struct Connection {
        /// Number of connections that were opened before.
        let number: UInt64
        var use = Use.none
        /// True if the connection may be closed while its first request is not received.
        var isLate = false

        var isDispensable: Bool {
            switch use {
            case .none, .refused: isLate
            case .probes, .others: false
            }
        }
    }

    /// Largest number of open connections.
    let most: Int
    /// Largest number of connections that serve something else than probes.
    let mostOthers: Int

    private var open: [ID: Connection] = [:]
    private var opened: UInt64 = 0

    init(most: Int, mostOthers: Int) {
        (self.most, self.mostOthers) = (most, mostOthers)
    }

    var count: Int { open.count }

    /// Counts a new connection until ``connectionClosed(_:)``.
    ///
    /// - Returns: a connection to close, which is not counted any more. Nil if none has to close.
    mutating func connectionOpened(_ id: ID) -> ID? {
        open[id] = Connection(number: opened)
        opened &+= 1
        return makeRoom()
    }

    mutating func connectionClosed(_ id: ID) {
        open[id] = nil
    }

    /// Notes that a connection had enough time for a request.
    ///
    /// - Returns: a connection to close, which is not counted any more. Nil if none has to close.
    mutating func patienceEnded(_ id: ID) -> ID? {
        open[id]?.isLate = true
        return makeRoom()
    }

    /// Notes that the head of a connection's first request was received.
    mutating func requestReceived(_ id: ID) {
        if open[id]?.use == Use.none { open[id]?.use = .probes }
    }

    /// Decides about a request that is for no probe. True if it may be served, otherwise its connection must close.
    mutating func serves(_ id: ID) -> Bool {
        guard let connection = open[id] else { return false }
        let isServed = connection.use == .others || open.values.count { $0.use == .others } < mostOthers
        open[id]?.use = isServed ? .others : .refused
        return isServed
    }

    /// Takes out the oldest connection that nothing is lost with. Nil if others can be accepted without that, or if
    /// there is no such connection.
    private mutating func makeRoom() -> ID? {
        guard open.count >= most else { return nil }
        let oldest = open.lazy.filter(\.value.isDispensable).min { $0.value.number < $1.value.number }
        return oldest.map { id, _ in
            open[id] = nil
            return id
        }
    }
}
