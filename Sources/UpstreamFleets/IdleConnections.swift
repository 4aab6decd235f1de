/// Numbers of idle connections to one target, for each event loop. They take slots too, but only their own loop can use
/// or close them.
struct IdleConnections: Sendable {
    private struct Loop {
        var count = 0
        /// Number of idle connections whose slot was given to a request, and that are still to be used or closed.
        var promised = 0
    }

    /// Counts by the number of the loop.
    private var loops: [Loop] = []
    /// Number of idle connections on all loops that keep their slot.
    private(set) var placeCount = 0

    var isEmpty: Bool { loops.allSatisfy { $0.count == 0 } }

    mutating func add(on loop: Int) {
        while loops.count <= loop { loops.append(Loop()) }
        loops[loop].count &+= 1
        findPlaces()
    }

    /// Removes connections that were used or closed, the promised ones last.
    mutating func remove(_ number: Int, on loop: Int) {
        guard loops.indices.contains(loop) else { return }
        loops[loop].count = max(0, loops[loop].count &- number)
        loops[loop].promised = min(loops[loop].promised, loops[loop].count)
        findPlaces()
    }

    /// Promises the slot of a connection to a request, on this loop if it has one. Returns the loop that has the
    /// connection, or nil if there is none.
    mutating func promise(for loop: Int) -> Int? {
        let own = loops.indices.contains(loop) && loops[loop].count > loops[loop].promised ? loop : nil
        let most = loops.indices.max { loops[$0].count &- loops[$0].promised < loops[$1].count &- loops[$1].promised }
        guard let owner = own ?? most, loops[owner].count > loops[owner].promised else { return nil }
        loops[owner].promised &+= 1
        findPlaces()
        return owner
    }

    /// Ends a promise, because the loop has used or closed `number` connections for it, or because the request has
    /// left.
    ///
    /// A single step: between two steps, the closing connection could be promised again.
    mutating func endPromise(_ number: Int, on loop: Int) {
        guard loops.indices.contains(loop) else { return }
        loops[loop].promised = max(0, loops[loop].promised &- 1)
        remove(number, on: loop)
    }

    private mutating func findPlaces() {
        placeCount = loops.reduce(0) { $0 &+ $1.count &- $1.promised }
    }
}
