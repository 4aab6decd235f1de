import NIOCore
import NameLookup
import NetworkNames

/// Table of the upstreams' names: their addresses, and the time of each lookup. No thread, no lock, no clock.
///
/// Names are independent of each other, and each has one lookup at a time. An answer is used until there is a newer
/// one, even while lookups fail. If this process has no answer for a name, it can use that of the previous process,
/// once name servers are silent or fail. The limits for that are narrow (``SavedAnswer``). Times are monotonic, in
/// nanoseconds.
struct NameTable {
    /// The answer to a request for a name's addresses.
    enum Answer: Hashable {
        case addresses([SocketAddress])
        /// There is no address, and the name was looked up just now.
        case unknown
        /// A lookup is running, and its end brings the answer.
        case pending
    }

    /// Change that is logged.
    enum Change: Hashable {
        /// Lookups fail from now on.
        case failing(cause: String)
        case recovered
        /// The last addresses are no longer used, because the name does not exist any more.
        case withdrawn
        /// Addresses of the previous process are used from now on, with the age of the answer.
        case restored(age: Duration)
        /// Addresses of the previous process are too old to be used any longer.
        case outdated
    }

    /// Limits of the time from a successful lookup to the next, in nanoseconds. Between them, the records' time to live
    /// counts.
    static let lifetimes: ClosedRange<Int64> = 1_000_000_000...60_000_000_000
    /// Time to the next lookup of a name in `/etc/hosts`, in nanoseconds. That file has no time to live.
    static let fileLifetime: Int64 = 10_000_000_000
    /// Time from a failed lookup to the next one that no request causes, in nanoseconds.
    static let retryInterval: Int64 = 5_000_000_000
    /// Least time between lookups in nanoseconds, if the first failed or its addresses do not accept connections.
    static let coolDown: Int64 = 1_000_000_000
    /// Time in nanoseconds for which name servers must report that a name does not exist, before its last addresses are
    /// dropped.
    static let absenceLimit: Int64 = 30_000_000_000
    /// Time in nanoseconds to wait for name servers before the addresses of the previous process are used. It is the
    /// first time-out of one server.
    static let patience: Int64 = 2_000_000_000
    /// Number of running lookups below which refreshes may start.
    static let refreshesAtOnce = 16

    fileprivate struct Entry {
        var addresses: [SocketAddress] = []
        var generation: UInt64 = 0
        var isBeingLookedUp = false
        var isFailing = false
        /// Time at which the last lookup began.
        var begunAt: Int64 = 0
        /// True if the addresses are those of the previous process.
        var isRestored = false
        /// Last answer of name servers, for the next process. Nil if there is none, or if they have since reported that
        /// there is no address.
        var answer: SavedAnswer?
        /// Time at which the last lookup ended.
        var lookedUpAt: Int64 = 0
        /// Time at which the next lookup begins.
        var dueAt: Int64 = 0
        /// Time since which every lookup has reported that the name does not exist. Nil if the last one did not.
        var absentSince: Int64?
    }

    private var entries: [String: Entry] = [:]
    /// Names in the configuration. Other names are dropped when their lookup ends.
    private var named: Set<String> = []
    /// Names in the configuration to which requests go without TLS.
    private var plain: Set<String> = []
    /// Answers of the previous process. An answer of name servers removes the name from them.
    private var saved: [String: SavedAnswer] = [:]
    private var lastGeneration: UInt64 = 0

    init() {}

    /// - Parameter saved: answers of the previous process.
    init(restoring saved: [String: SavedAnswer]) {
        self.saved = saved
    }

    /// Names that have an entry.
    var names: Set<String> { Set(entries.keys) }

    /// Takes over the names of a new configuration, and drops all others.
    ///
    /// - Parameter plain: those of them to which requests go without TLS.
    mutating func keep(_ names: Set<String>, plain: Set<String> = []) {
        named = names
        self.plain = plain
        saved = saved.filter { names.contains($0.key) }
        entries = entries.filter { names.contains($0.key) || $0.value.isBeingLookedUp }
    }

    // MARK: Questions

    /// Answers a request for addresses, for a connection. `startsLookup` is true if the caller must look the name up
    /// now.
    mutating func ask(for name: String, at now: Int64) -> (answer: Answer, startsLookup: Bool) {
        var entry = entries[name] ?? Entry()
        guard entry.addresses.isEmpty else { return (.addresses(entry.addresses), false) }
        guard !entry.isBeingLookedUp else { return (.pending, false) }
        if entry.isFailing, now &- entry.lookedUpAt < Self.coolDown { return (.unknown, false) }
        entry.begin(at: now)
        entries[name] = entry
        return (.pending, true)
    }

    /// Current addresses of a name, for a caller that follows them. `startsLookup` is true if the caller must look the
    /// name up now, because nobody asked for it before.
    ///
    /// The generation changes whenever the set of addresses does. It is 0 if there never was an address.
    mutating func current(_ name: String, at now: Int64) -> (
        addresses: [SocketAddress], generation: UInt64, startsLookup: Bool
    ) {
        if let entry = entries[name] { return (entry.addresses, entry.generation, false) }
        var entry = Entry()
        entry.begin(at: now)
        entries[name] = entry
        return ([], 0, true)
    }

    /// Called when none of a name's addresses accepted a connection, so that they may be out of date. Returns true if
    /// the caller must look the name up now.
    mutating func connectFailed(to name: String, at now: Int64) -> Bool {
        guard let entry = entries[name], !entry.isBeingLookedUp, now &- entry.lookedUpAt >= Self.coolDown else {
            return false
        }
        entries[name]?.begin(at: now)
        return true
    }

    /// Names to look up again because their answers are old, the longest overdue first.
    mutating func startRefreshes(at now: Int64) -> [String] {
        let free = Self.refreshesAtOnce &- entries.values.count(where: \.isBeingLookedUp)
        guard free > 0 else { return [] }
        let due = entries.filter { !$0.value.isBeingLookedUp && now >= $0.value.dueAt }
        guard !due.isEmpty else { return [] }
        let started = due.sorted { $0.value.dueAt < $1.value.dueAt }.prefix(free).map(\.key)
        for name in started { entries[name]?.begin(at: now) }
        return started
    }

    // MARK: What the process before knew

    /// Starts or ends the use of the previous process's answers. They are used once a name's first lookup takes too
    /// long, and until they are too old. Returns the names for which that changed.
    mutating func review(at now: Int64) -> [(name: String, answer: Answer, change: Change)] {
        guard !saved.isEmpty else { return [] }
        var reviewed: [(name: String, answer: Answer, change: Change)] = []
        for name in saved.keys {
            guard var entry = entries[name] else { continue }
            let isSilent = entry.isBeingLookedUp && now &- entry.begunAt >= Self.patience
            let change =
                entry.isRestored ? outdate(name, &entry, at: now) : isSilent ? restore(name, &entry, at: now) : nil
            entries[name] = entry
            guard let change else { continue }
            reviewed.append((name, entry.addresses.isEmpty ? .unknown : .addresses(entry.addresses), change))
        }
        return reviewed
    }

    /// Last answers of name servers that are young enough for the next process.
    func answers(at now: Int64) -> [String: SavedAnswer] {
        var answers = saved
        for (name, entry) in entries { if let answer = entry.answer { answers[name] = answer } }
        return answers.filter { named.contains($0.key) && !$0.value.usable(hasPlainTargets: false, at: now).isEmpty }
    }

    private mutating func restore(_ name: String, _ entry: inout Entry, at now: Int64) -> Change? {
        guard entry.addresses.isEmpty, let answer = saved[name] else { return nil }
        let addresses = usable(answer, of: name, at: now)
        guard !addresses.isEmpty else { return nil }
        entry.isRestored = true
        set(addresses, for: &entry)
        return .restored(age: .nanoseconds(now &- answer.learntAt))
    }

    private mutating func outdate(_ name: String, _ entry: inout Entry, at now: Int64) -> Change? {
        let addresses = saved[name].map { usable($0, of: name, at: now) } ?? []
        guard addresses.count < entry.addresses.count else { return nil }
        set(addresses, for: &entry)
        entry.isRestored = !addresses.isEmpty
        return addresses.isEmpty ? .outdated : nil
    }

    private func usable(_ answer: SavedAnswer, of name: String, at now: Int64) -> [SocketAddress] {
        answer.usable(hasPlainTargets: plain.contains(name), at: now).compactMap(SocketAddress.init)
    }

    /// Drops the previous process's answer for a name, because name servers have answered.
    private mutating func forgetSaved(_ name: String, _ entry: inout Entry) {
        saved[name] = nil
        guard entry.isRestored else { return }
        entry.isRestored = false
        entry.addresses = []
    }

    // MARK: Answers

    /// Handles the end of a lookup.
    ///
    /// - Returns: the answer for waiting requests, and the change to log.
    mutating func lookedUp(_ name: String, _ answer: NameAnswer, at now: Int64) -> (answer: Answer, change: Change?) {
        var entry = entries[name] ?? Entry()
        entry.isBeingLookedUp = false
        entry.lookedUpAt = now
        let change: Change? =
            switch answer {
            case .addresses(let found): take(found, for: name, &entry, at: now)
            case .notFound: takeAbsence(of: name, &entry, at: now)
            case .failed(let cause): takeSilence(cause, of: name, &entry, at: now)
            }
        entries[name] = named.contains(name) ? entry : nil
        return (entry.addresses.isEmpty ? .unknown : .addresses(entry.addresses), change)
    }

    private mutating func take(_ found: FoundAddresses, for name: String, _ entry: inout Entry, at now: Int64)
        -> Change?
    {
        let before = entry.addresses
        forgetSaved(name, &entry)
        // The next process can read `/etc/hosts` too, so its addresses are not saved.
        entry.answer = found.lifetime.map { _ in SavedAnswer(addresses: found.addresses, learntAt: now) }
        let lifetime = found.lifetime.map { TimeAmount($0).nanoseconds } ?? Self.fileLifetime
        entry.dueAt = now &+ min(max(lifetime, Self.lifetimes.lowerBound), Self.lifetimes.upperBound)
        var addresses = found.addresses.compactMap(SocketAddress.init)
        if let family = found.unanswered {
            // Half of the lookup failed. That address family keeps its last addresses.
            addresses += entry.addresses.filter { $0.protocol == family.inSockets }.prefix(FoundAddresses.most / 2)
            entry.dueAt = min(entry.dueAt, now &+ Self.retryInterval)
        }
        set(addresses, for: &entry, after: before)
        entry.absentSince = nil
        guard entry.isFailing else { return nil }
        entry.isFailing = false
        return .recovered
    }

    private mutating func takeAbsence(of name: String, _ entry: inout Entry, at now: Int64) -> Change? {
        let before = entry.addresses
        forgetSaved(name, &entry)
        if entry.addresses.isEmpty { set([], for: &entry, after: before) }
        entry.answer = nil
        let since = entry.absentSince ?? now
        let change = takeFailure("name servers report that it does not exist, or has no address", of: &entry, at: now)
        entry.absentSince = since
        guard !entry.addresses.isEmpty else { return change }
        guard now &- since >= Self.absenceLimit else {
            entry.dueAt = min(entry.dueAt, since &+ Self.absenceLimit)
            return change
        }
        set([], for: &entry)
        return .withdrawn
    }

    private mutating func takeSilence(_ cause: String, of name: String, _ entry: inout Entry, at now: Int64) -> Change?
    {
        let change = takeFailure(cause, of: &entry, at: now)
        return restore(name, &entry, at: now) ?? change
    }

    private func takeFailure(_ cause: String, of entry: inout Entry, at now: Int64) -> Change? {
        entry.dueAt = now &+ Self.retryInterval
        // A name server that fails says nothing about the name. Only an absence without gaps ends the use of its
        // addresses.
        entry.absentSince = nil
        guard !entry.isFailing else { return nil }
        entry.isFailing = true
        return .failing(cause: cause)
    }

    /// Sets the addresses of a name, with a new generation if the set has changed.
    ///
    /// - Parameter before: the addresses to compare with. Nil for those of the entry.
    private mutating func set(
        _ addresses: [SocketAddress], for entry: inout Entry, after before: [SocketAddress]? = nil
    ) {
        // Name servers rotate their answers. Another order is no other answer.
        if Set(addresses) != Set(before ?? entry.addresses) {
            lastGeneration &+= 1
            entry.generation = lastGeneration
        }
        entry.addresses = addresses
    }
}

extension NameTable.Entry {
    fileprivate mutating func begin(at now: Int64) { (isBeingLookedUp, begunAt) = (true, now) }
}

extension SocketAddress {
    /// Makes a socket address without a port.
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
