import NIOCore
import NameLookup
import NetworkNames

/// What is known of the addresses of upstreams' names, and when each is looked up: no thread, no lock, no clock.
///
/// Each name is independent: one lookup at a time, whatever happens to the others. An answer is used until there is a newer one, and for
/// as long as lookups fail. Times are monotonic, in nanoseconds.
struct NameTable {
    /// The answer to a request for a name's addresses.
    enum Answer: Hashable {
        case addresses([SocketAddress])
        /// There is no address, and it was looked up just now.
        case unknown
        /// The end of the lookup that runs.
        case pending
    }

    /// What is worth a line in the log.
    enum Change: Hashable {
        /// Lookups fail from now on.
        case failing(cause: String)
        case recovered
        /// The last addresses are not used any more.
        case withdrawn
    }

    /// From the end of a lookup that succeeded to the next: the records' time to live, but within these.
    static let lifetimes: ClosedRange<Int64> = 1_000_000_000...60_000_000_000
    /// The same for what `/etc/hosts` has, which says nothing of it.
    static let fileLifetime: Int64 = 10_000_000_000
    /// From the end of a lookup that failed to the next that no request causes.
    static let retryInterval: Int64 = 5_000_000_000
    /// From the end of a lookup to the next, at least: if it failed, or its addresses do not accept connections.
    static let coolDown: Int64 = 1_000_000_000
    /// How long name servers must say that a name does not exist before its last addresses are not used any more.
    static let absenceLimit: Int64 = 30_000_000_000
    /// Lookups at once that no request waits for.
    static let refreshesAtOnce = 16

    private struct Entry {
        var addresses: [SocketAddress] = []
        var generation: UInt64 = 0
        var isBeingLookedUp = false
        var isFailing = false
        /// When the last lookup ended.
        var lookedUpAt: Int64 = 0
        /// When the next begins.
        var dueAt: Int64 = 0
        /// Since when every lookup said that the name does not exist; nil: the last one did not.
        var absentSince: Int64?
    }

    private var entries: [String: Entry] = [:]
    /// What the configuration names; others are forgotten when their lookup ends.
    private var named: Set<String> = []
    private var lastGeneration: UInt64 = 0

    /// The names that there is an entry for.
    var names: Set<String> { Set(entries.keys) }

    /// A new configuration names these; what it no longer names is forgotten.
    mutating func keep(_ names: Set<String>) {
        named = names
        entries = entries.filter { names.contains($0.key) || $0.value.isBeingLookedUp }
    }

    // MARK: Questions

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

    /// What is known of a name now, for whoever watches it; whether it must be looked up now, because nobody asked for it before.
    ///
    /// The generation is another one whenever the set of addresses is; 0: there never was an address.
    mutating func current(_ name: String) -> (addresses: [SocketAddress], generation: UInt64, startsLookup: Bool) {
        if let entry = entries[name] { return (entry.addresses, entry.generation, false) }
        var entry = Entry()
        entry.isBeingLookedUp = true
        entries[name] = entry
        return ([], 0, true)
    }

    /// None of a name's addresses took a connection: they may be out of date. Whether the name must be looked up now.
    mutating func connectFailed(to name: String, at now: Int64) -> Bool {
        guard let entry = entries[name], !entry.isBeingLookedUp, now &- entry.lookedUpAt >= Self.coolDown else { return false }
        entries[name]?.isBeingLookedUp = true
        return true
    }

    /// The names to look up again, because their answers are old: first what has been due for longest.
    mutating func startRefreshes(at now: Int64) -> [String] {
        let free = Self.refreshesAtOnce &- entries.values.count(where: \.isBeingLookedUp)
        guard free > 0 else { return [] }
        let due = entries.filter { !$0.value.isBeingLookedUp && now >= $0.value.dueAt }
        guard !due.isEmpty else { return [] }
        let started = due.sorted { $0.value.dueAt < $1.value.dueAt }.prefix(free).map(\.key)
        for name in started { entries[name]?.isBeingLookedUp = true }
        return started
    }

    // MARK: Answers

    /// A lookup ended.
    ///
    /// - Returns: the answer for waiting requests, and what is worth a line in the log.
    mutating func lookedUp(_ name: String, _ answer: NameAnswer, at now: Int64) -> (answer: Answer, change: Change?) {
        var entry = entries[name] ?? Entry()
        entry.isBeingLookedUp = false
        entry.lookedUpAt = now
        let change: Change? =
            switch answer {
            case .addresses(let found): take(found, for: &entry, at: now)
            case .notFound: takeAbsence(of: &entry, at: now)
            case .failed(let cause): takeFailure(cause, of: &entry, at: now)
            }
        entries[name] = named.contains(name) ? entry : nil
        return (entry.addresses.isEmpty ? .unknown : .addresses(entry.addresses), change)
    }

    private mutating func take(_ found: FoundAddresses, for entry: inout Entry, at now: Int64) -> Change? {
        let lifetime = found.lifetime.map { TimeAmount($0).nanoseconds } ?? Self.fileLifetime
        entry.dueAt = now &+ min(max(lifetime, Self.lifetimes.lowerBound), Self.lifetimes.upperBound)
        var addresses = found.addresses.compactMap(SocketAddress.init)
        if let family = found.unanswered {
            // Half of a lookup failed, and what fails keeps its last answer.
            addresses += entry.addresses.filter { $0.protocol == family.inSockets }.prefix(FoundAddresses.most / 2)
            entry.dueAt = min(entry.dueAt, now &+ Self.retryInterval)
        }
        set(addresses, for: &entry)
        entry.absentSince = nil
        guard entry.isFailing else { return nil }
        entry.isFailing = false
        return .recovered
    }

    private mutating func takeAbsence(of entry: inout Entry, at now: Int64) -> Change? {
        let since = entry.absentSince ?? now
        let change = takeFailure("its name servers say that it does not exist, or has no address", of: &entry, at: now)
        entry.absentSince = since
        guard !entry.addresses.isEmpty else { return change }
        guard now &- since >= Self.absenceLimit else {
            entry.dueAt = min(entry.dueAt, since &+ Self.absenceLimit)
            return change
        }
        set([], for: &entry)
        return .withdrawn
    }

    private func takeFailure(_ cause: String, of entry: inout Entry, at now: Int64) -> Change? {
        entry.dueAt = now &+ Self.retryInterval
        // A name server that fails says nothing of the name: an absence that is to end its use has no gaps.
        entry.absentSince = nil
        guard !entry.isFailing else { return nil }
        entry.isFailing = true
        return .failing(cause: cause)
    }

    private mutating func set(_ addresses: [SocketAddress], for entry: inout Entry) {
        // Name servers turn their answers; another order is no other answer.
        if Set(addresses) != Set(entry.addresses) {
            lastGeneration &+= 1
            entry.generation = lastGeneration
        }
        entry.addresses = addresses
    }
}

extension SocketAddress {
    /// Without a port.
    init?(_ address: IPAddress) {
        let bytes = (address.isIPv4 ? 12..<16 : 0..<16).map(address.byte(at:))
        guard let made = try? SocketAddress(packedIPAddress: ByteBuffer(bytes: bytes), port: 0) else { return nil }
        self = made
    }
}

extension AddressFamily {
    fileprivate var inSockets: NIOBSDSocket.ProtocolFamily {
        switch self {
        case .ipv4: .inet
        case .ipv6: .inet6
        }
    }
}
