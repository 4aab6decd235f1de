import Testing

@testable import Administration

/// Which connections of the admin listener serve what, and which are closed for others.
struct AdminConnectionsTests {
    private final class Peer: Sendable {
        var id: ObjectIdentifier { ObjectIdentifier(self) }
    }

    private let peers = (0..<6).map { _ in Peer() }
    private var connections = AdminConnections(most: 4, mostOthers: 2)

    private func id(_ number: Int) -> ObjectIdentifier { peers[number].id }

    /// Opens connections whose numbers are in a range. None is closed for them.
    private mutating func open(_ numbers: Range<Int>) {
        for number in numbers {
            let closed = connections.connectionOpened(id(number))
            #expect(closed == nil)
        }
    }

    /// Serves a request that is for no probe.
    private mutating func isServed(_ number: Int) -> Bool {
        connections.requestReceived(id(number))
        return connections.serves(id(number))
    }

    @Test mutating func `as many connections as are not kept for probes serve something else`() {
        open(0..<4)
        for (number, expected) in [(0, true), (1, true), (2, false), (0, true), (1, true), (2, false)] {
            let isServed = isServed(number)
            #expect(isServed == expected, "\(number)")
        }
        connections.connectionClosed(id(0))
        let next = isServed(3)
        #expect(next)
        let other = isServed(2)
        #expect(!other)
    }

    @Test mutating func `requests for probes take no connection from others, and may be followed by them`() {
        open(0..<4)
        for number in 0..<4 { connections.requestReceived(id(number)) }
        for (number, expected) in [(3, true), (2, true), (1, false)] {
            let isServed = isServed(number)
            #expect(isServed == expected, "\(number)")
        }
    }

    @Test mutating func `a connection that is closed or unknown serves nothing`() {
        let before = isServed(0)
        #expect(!before)
        open(0..<1)
        connections.connectionClosed(id(0))
        let after = isServed(0)
        #expect(!after)
        #expect(connections.count == 0)
    }

    @Test mutating func `if no more can be accepted, the oldest silent connection is closed once it had its time`() {
        open(0..<3)
        for number in 0..<3 {
            let closed = connections.patienceEnded(id(number))
            #expect(closed == nil, "there is room for one more")
        }
        connections.requestReceived(id(0))
        // The fourth takes the last place, so one has to go: not the first, which has sent a request.
        let first = connections.connectionOpened(id(3))
        #expect(first == id(1))
        #expect(connections.count == 3)
        let second = connections.connectionOpened(id(4))
        #expect(second == id(2))
        // The last ones still have time.
        let third = connections.connectionOpened(id(5))
        #expect(third == nil)
        #expect(connections.count == 4)
        let later = connections.patienceEnded(id(4))
        #expect(later == id(4))
        // It is gone, whatever is reported of it.
        connections.requestReceived(id(4))
        connections.connectionClosed(id(4))
        let again = connections.patienceEnded(id(4))
        #expect(again == nil)
        #expect(connections.count == 3)
    }

    @Test mutating func `a connection with a request is never closed for others, unless it was refused`() {
        open(0..<4)
        for number in [0, 1, 3] { _ = isServed(number) }
        connections.requestReceived(id(2))
        for number in 0..<3 {
            let closed = connections.patienceEnded(id(number))
            #expect(closed == nil)
        }
        // The refused one should have closed by itself.
        let closed = connections.patienceEnded(id(3))
        #expect(closed == id(3))
    }
}
