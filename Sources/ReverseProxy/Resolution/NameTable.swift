import NIOCore

/// What is known of the addresses of upstreams' names, and when each is looked up: no thread, no lock, no clock.
///
/// Each name is independent: one lookup at a time, whatever happens to the others. The last good answer is kept and used while a newer
/// one is looked up, and for as long as lookups fail. Times are monotonic, in nanoseconds.
struct NameTable {
    /// The answer to a request for a name's addresses.
    enum Answer: Hashable {
        case addresses([SocketAddress])
        /// The last lookup failed and there never was an answer.
        case unknown
        /// The end of the lookup that runs.
        case pending
    }

    /// How lookups of a name end now, if that is not how they ended before.
    enum Change: Hashable { case failing, recovered }

    /// From the end of one lookup that succeeded to the next.
    static let refreshInterval: Int64 = 10_000_000_000
    /// From the end of a lookup to the next, at least: if it failed, or its addresses do not accept connections.
    static let coolDown: Int64 = 1_000_000_000
    /// Lookups at once that no request waits for.
    static let refreshesAtOnce = 16

    private struct Entry {
        var addresses: [SocketAddress] = []
        var isBeingLookedUp = false
        var isFailing = false
        /// When the last lookup ended.
        var lookedUpAt: Int64 = 0
    }

    private var entries: [String: Entry] = [:]
    /// What the configuration names; others are forgotten when their lookup ends.
    private var named: Set<String> = []

    /// The names that there is an entry for.
    var names: Set<String> { Set(entries.keys) }

    /// A new configuration names these; what it no longer names is forgotten.
    mutating func keep(_ names: Set<String>) {
        named = names
        entries = entries.filter { names.contains($0.key) || $0.value.isBeingLookedUp }
    }

    /// A connection needs addresses; whether the name must be looked up now.
    mutating func ask(for name: String, at now: Int64) -> (answer: Answer, startsLookup: Bool) {
        var entry = entries[name] ?? Entry()
        guard entry.addresses.isEmpty else { return (.addresses(entry.addresses), false) }
        guard !entry.isBeingLookedUp else { return (.pending, false) }
        if entry.isFailing, now &- entry.lookedUpAt < Self.coolDown { return (.unknown, false) }
        entry.isBeingLookedUp = true
        entries[name] = entry
        return (.pending, true)
    }

    /// None of a name's addresses took a connection: they may be out of date. Whether the name must be looked up now.
    mutating func connectFailed(to name: String, at now: Int64) -> Bool {
        guard let entry = entries[name], !entry.isBeingLookedUp, now &- entry.lookedUpAt >= Self.coolDown else { return false }
        entries[name]?.isBeingLookedUp = true
        return true
    }

    /// The names to look up again, because their answers are old.
    mutating func startRefreshes(at now: Int64) -> [String] {
        var free = Self.refreshesAtOnce &- entries.values.count(where: \.isBeingLookedUp)
        guard free > 0 else { return [] }
        var due: [String] = []
        for (name, entry) in entries where !entry.isBeingLookedUp && now &- entry.lookedUpAt >= Self.refreshInterval {
            due.append(name)
            free &-= 1
            guard free > 0 else { break }
        }
        for name in due { entries[name]?.isBeingLookedUp = true }
        return due
    }

    /// A lookup ended.
    ///
    /// - Parameter addresses: empty if it failed.
    /// - Returns: the answer for waiting requests, and what is worth a line in the log.
    mutating func lookedUp(_ name: String, _ addresses: [SocketAddress], at now: Int64) -> (answer: Answer, change: Change?) {
        var entry = entries[name] ?? Entry()
        let failed = addresses.isEmpty
        let change: Change? = entry.isFailing == failed ? nil : failed ? .failing : .recovered
        if !failed { entry.addresses = addresses }
        entry.isBeingLookedUp = false
        entry.isFailing = failed
        entry.lookedUpAt = now
        entries[name] = named.contains(name) ? entry : nil
        return (entry.addresses.isEmpty ? .unknown : .addresses(entry.addresses), change)
    }
}
