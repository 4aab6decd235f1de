import NIOCore
import NameLookup
import NetworkNames

/// What is known of the addresses of upstreams' names, and when each is looked up: no thread, no lock, no clock.
///
/// Each name is independent: one lookup at a time, whatever happens to the others. An answer is used until there is a
/// newer one, and for as long as lookups fail. A name that this process has no answer for has that of the process
/// before, within narrow bounds (``SavedAnswer``), once name servers keep silent or fail. Times are monotonic, in
/// nanoseconds.
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
        /// Addresses that the process before knew are used from now on; they are so old.
        case restored(age: Duration)
        /// Those are too old to be used any longer.
        case outdated
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
    /// How long name servers are waited for before a name has the addresses that the process before knew: one server's
    /// first time-out.
    static let patience: Int64 = 2_000_000_000
    /// Lookups at once that no request waits for.
    static let refreshesAtOnce = 16

    fileprivate struct Entry {
        var addresses: [SocketAddress] = []
        var generation: UInt64 = 0
        var isBeingLookedUp = false
        var isFailing = false
        /// When the last lookup began.
        var begunAt: Int64 = 0
        /// Whether the addresses are those that the process before knew.
        var isRestored = false
        /// The last answer of name servers, for the process after this one; nil: none, or they said since that there is
        /// no address.
        var answer: SavedAnswer?
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
    /// Those of them to which requests go without TLS.
    private var plain: Set<String> = []
    /// What the process before knew; an answer of name servers ends it.
    private var saved: [String: SavedAnswer] = [:]
    private var lastGeneration: UInt64 = 0

    init() {}

    /// - Parameter saved: what the process before knew.
    init(restoring saved: [String: SavedAnswer]) {
        self.saved = saved
    }

    /// The names that there is an entry for.
    var names: Set<String> { Set(entries.keys) }

    /// A new configuration names these; what it no longer names is forgotten.
    ///
    /// - Parameter plain: those of them to which requests go without TLS.
    mutating func keep(_ names: Set<String>, plain: Set<String> = []) {
        named = names
        self.plain = plain
        saved = saved.filter { names.contains($0.key) }
        entries = entries.filter { names.contains($0.key) || $0.value.isBeingLookedUp }
    }

    // MARK: Questions

    /// A connection needs addresses; whether the name must be looked up now.
    mutating func ask(for name: String, at now: Int64) -> (answer: Answer, startsLookup: Bool) {
        var entry = entries[name] ?? Entry()
        guard entry.addresses.isEmpty else { return (.addresses(entry.addresses), false) }
        guard !entry.isBeingLookedUp else { return (.pending, false) }
        if entry.isFailing, now &- entry.lookedUpAt < Self.coolDown { return (.unknown, false) }
        entry.begin(at: now)
        entries[name] = entry
        return (.pending, true)
    }

    /// What is known of a name now, for whoever watches it; whether it must be looked up now, because nobody asked for
    /// it before.
    ///
    /// The generation is another one whenever the set of addresses is; 0: there never was an address.
    mutating func current(_ name: String, at now: Int64) -> (
        addresses: [SocketAddress], generation: UInt64, startsLookup: Bool
    ) {
        if let entry = entries[name] { return (entry.addresses, entry.generation, false) }
        var entry = Entry()
        entry.begin(at: now)
        entries[name] = entry
        return ([], 0, true)
    }

    /// None of a name's addresses took a connection: they may be out of date. Whether the name must be looked up now.
    mutating func connectFailed(to name: String, at now: Int64) -> Bool {
        guard let entry = entries[name], !entry.isBeingLookedUp, now &- entry.lookedUpAt >= Self.coolDown else {
            return false
        }
        entries[name]?.begin(at: now)
        return true
    }

    /// The names to look up again, because their answers are old: first what has been due for longest.
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

    /// Names that have the addresses of the process before from now on, because their first lookup takes so long, and
    /// those that have them no longer, because they are too old.
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

    /// The last answers of name servers that are young enough for the process after this one.
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

    /// Name servers answered: what the process before knew counts no longer.
    private mutating func forgetSaved(_ name: String, _ entry: inout Entry) {
        saved[name] = nil
        guard entry.isRestored else { return }
        entry.isRestored = false
        entry.addresses = []
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
        // What `/etc/hosts` has is there for the process after this one too.
        entry.answer = found.lifetime.map { _ in SavedAnswer(addresses: found.addresses, learntAt: now) }
        let lifetime = found.lifetime.map { TimeAmount($0).nanoseconds } ?? Self.fileLifetime
        entry.dueAt = now &+ min(max(lifetime, Self.lifetimes.lowerBound), Self.lifetimes.upperBound)
        var addresses = found.addresses.compactMap(SocketAddress.init)
        if let family = found.unanswered {
            // Half of a lookup failed, and what fails keeps its last answer.
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

    private mutating func takeSilence(_ cause: String, of name: String, _ entry: inout Entry, at now: Int64) -> Change?
    {
        let change = takeFailure(cause, of: &entry, at: now)
        return restore(name, &entry, at: now) ?? change
    }

    private func takeFailure(_ cause: String, of entry: inout Entry, at now: Int64) -> Change? {
        entry.dueAt = now &+ Self.retryInterval
        // A name server that fails says nothing of the name: an absence that is to end its use has no gaps.
        entry.absentSince = nil
        guard !entry.isFailing else { return nil }
        entry.isFailing = true
        return .failing(cause: cause)
    }

    /// - Parameter before: the addresses so far; nil: those of the entry.
    private mutating func set(
        _ addresses: [SocketAddress], for entry: inout Entry, after before: [SocketAddress]? = nil
    ) {
        // Name servers turn their answers; another order is no other answer.
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
