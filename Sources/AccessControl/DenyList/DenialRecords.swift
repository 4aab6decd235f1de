import TokenVerification

/// Decisions about entries, the last one for each. The later decision wins, so gateways agree that exchange theirs in
/// any order, and more than once.
public struct DenialRecords: Sendable, Hashable {
    /// Entries that deny; longer lists stand in a file.
    public static let mostEntries = 10_000
    /// Records, those of removed entries included. Beyond that the oldest removals are forgotten.
    public static let mostRecords = 2 * mostEntries

    private var records: [DenialRecord.Key: DenialRecord] = [:]

    public init() {}

    public var isEmpty: Bool { records.isEmpty }
    public var all: some Collection<DenialRecord> { records.values }

    /// Entries that deny at a time, ordered by the time of their decision.
    public func entries(at now: NumericDate) -> [DenyEntry] {
        records.values.filter { !$0.isRemoved && now < $0.entry.expires }
            .sorted { ($0.decidedAt, $0.entry.value) < ($1.decidedAt, $1.entry.value) }.map(\.entry)
    }

    public func count(at now: NumericDate) -> Int {
        records.values.count { !$0.isRemoved && now < $0.entry.expires }
    }

    // MARK: Decisions

    /// An entry denies from now on, until it expires.
    ///
    /// - Returns: the decision, for others.
    public mutating func add(_ entry: DenyEntry, at now: NumericDate) -> DenialRecord {
        let record = DenialRecord(entry, decidedAt: time(now, after: DenialRecord(entry, decidedAt: 0).key))
        records[record.key] = record  // in bounds: a dictionary
        return record
    }

    /// All entries about the same tokens are removed.
    ///
    /// - Returns: the decisions, for others; none: there was no such entry.
    public mutating func remove(about entry: DenyEntry, at now: NumericDate) -> [DenialRecord] {
        let found = records.values.filter { !$0.isRemoved && now < $0.entry.expires && $0.entry.isAbout(entry) }
        let removals = found.map { DenialRecord($0.entry, decidedAt: time(now, after: $0.key), isRemoved: true) }
        for removal in removals { records[removal.key] = removal }  // in bounds: a dictionary
        return removals
    }

    /// Later than what was decided before, also if another gateway's clock was ahead.
    private func time(_ now: NumericDate, after key: DenialRecord.Key) -> UInt64 {
        let own = UInt64(max(0, min(Double(DenialRecord.latest), now.seconds * 1_000_000)))
        let before = records[key]?.decidedAt ?? 0  // in bounds: a dictionary
        return min(DenialRecord.latest, max(own, before &+ 1))
    }

    // MARK: Others' decisions

    /// Whether the decision would be news here.
    public func lacks(_ record: DenialRecord) -> Bool {
        records[record.key].map { record.replaces($0) } ?? true  // in bounds: a dictionary
    }

    /// Takes one over that is later than what is known.
    ///
    /// - Returns: whether it was.
    public mutating func merge(_ record: DenialRecord) -> Bool {
        guard lacks(record) else { return false }
        records[record.key] = record  // in bounds: a dictionary
        return true
    }

    /// Forgets what is over, and the oldest removals beyond ``mostRecords``.
    public mutating func forget(at now: NumericDate) {
        if records.values.contains(where: { $0.entry.expires <= now }) {
            records = records.filter { now < $0.value.entry.expires }
        }
        guard records.count > Self.mostRecords else { return }
        let removals = records.values.filter(\.isRemoved).sorted { $0.decidedAt < $1.decidedAt }
        // in bounds: a dictionary
        for removal in removals.prefix(records.count - Self.mostRecords) { records[removal.key] = nil }
    }

    /// Forgets what was removed: nobody else has to hear of it.
    public mutating func forgetRemovals() {
        records = records.filter { !$0.value.isRemoved }
    }
}
