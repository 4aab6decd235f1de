import TokenVerification

/// The last decision about each entry.
///
/// The later decision wins. Gateways therefore reach the same result if they exchange decisions in any order, even
/// repeatedly.
public struct DenialRecords: Sendable, Hashable {
    /// Maximum number of entries that deny tokens. Longer lists belong in a deny file.
    public static let mostEntries = 10_000
    /// Maximum number of records, including removals. Beyond it the oldest removals are deleted.
    public static let mostRecords = 2 * mostEntries

    private var records: [DenialRecord.Key: DenialRecord] = [:]

    public init() {}

    public var isEmpty: Bool { records.isEmpty }
    public var all: some Collection<DenialRecord> { records.values }

    /// Entries that are neither removed nor expired at this time, with the oldest decision first.
    public func entries(at now: NumericDate) -> [DenyEntry] {
        records.values.filter { !$0.isRemoved && now < $0.entry.expires }
            .sorted { ($0.decidedAt, $0.entry.value) < ($1.decidedAt, $1.entry.value) }.map(\.entry)
    }

    public func count(at now: NumericDate) -> Int {
        records.values.count { !$0.isRemoved && now < $0.entry.expires }
    }

    // MARK: Decisions

    /// Adds an entry, which denies tokens from now until it expires.
    ///
    /// - Returns: the decision, to share with other gateways.
    public mutating func add(_ entry: DenyEntry, at now: NumericDate) -> DenialRecord {
        let record = DenialRecord(entry, decidedAt: time(now, after: DenialRecord(entry, decidedAt: 0).key))
        records[record.key] = record  // in bounds: a dictionary
        return record
    }

    /// Removes all entries about the same tokens.
    ///
    /// - Returns: the decisions, to share with other gateways. Empty if there was no such entry.
    public mutating func remove(about entry: DenyEntry, at now: NumericDate) -> [DenialRecord] {
        let found = records.values.filter { !$0.isRemoved && now < $0.entry.expires && $0.entry.isAbout(entry) }
        let removals = found.map { DenialRecord($0.entry, decidedAt: time(now, after: $0.key), isRemoved: true) }
        for removal in removals { records[removal.key] = removal }  // in bounds: a dictionary
        return removals
    }

    /// Returns a decision time that is later than the last decision about the entry, even if another gateway's clock
    /// was ahead.
    private func time(_ now: NumericDate, after key: DenialRecord.Key) -> UInt64 {
        let own = UInt64(max(0, min(Double(DenialRecord.latest), now.seconds * 1_000_000)))
        let before = records[key]?.decidedAt ?? 0  // in bounds: a dictionary
        return min(DenialRecord.latest, max(own, before &+ 1))
    }

    // MARK: Others' decisions

    /// Whether the decision is unknown here, or replaces the known one.
    public func lacks(_ record: DenialRecord) -> Bool {
        records[record.key].map { record.replaces($0) } ?? true  // in bounds: a dictionary
    }

    /// Adds another gateway's decision if it replaces the known one.
    ///
    /// - Returns: whether it was added.
    public mutating func merge(_ record: DenialRecord) -> Bool {
        guard lacks(record) else { return false }
        records[record.key] = record  // in bounds: a dictionary
        return true
    }

    /// Deletes records of expired entries, and the oldest removals beyond ``mostRecords``.
    public mutating func forget(at now: NumericDate) {
        if records.values.contains(where: { $0.entry.expires <= now }) {
            records = records.filter { now < $0.value.entry.expires }
        }
        guard records.count > Self.mostRecords else { return }
        let removals = records.values.filter(\.isRemoved).sorted { $0.decidedAt < $1.decidedAt }
        // in bounds: a dictionary
        for removal in removals.prefix(records.count - Self.mostRecords) { records[removal.key] = nil }
    }

    /// Deletes all removals; for gateways that share no decisions.
    public mutating func forgetRemovals() {
        records = records.filter { !$0.value.isRemoved }
    }
}
