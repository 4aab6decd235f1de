import MetricFamilies
import Synchronization

/// A counter with several labels, summed over all event loops. Label values are names from the configuration or cases
/// of enums.
struct LabelledCounter: ~Copyable, Sendable {
    let name: StaticString
    let labels: [StaticString]
    let help: StaticString
    private let sums = Mutex<[[String]: UInt64]>([:])

    /// - Parameter values: Label values, in the order of `labels`.
    func add(_ count: UInt64, _ values: [String]) {
        sums.withLock { $0[values, default: 0] &+= count }
    }

    /// Counts by label values.
    var counts: [[String]: UInt64] { sums.withLock { $0 } }

    var family: MetricFamily {
        let counts = counts.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        return .counter(name, help, counts.map { MetricFamily.Sample($1, Array(zip(labels, $0))) })
    }
}

/// Counts of one event loop for a ``LabelledCounter`` since the last hand-over.
///
/// The keys consist of indices, so that counting a request builds no strings.
struct LabelledTally<Key: Hashable> {
    private var entries: [Key: (values: [String], count: UInt64)] = [:]
    private var latest: Key?
    /// Number of times in a row that `latest` was counted. Added to the entries when another key is counted.
    private var latestCount: UInt64 = 0

    /// - Parameter values: Label values; evaluated only if the key is new since the last hand-over.
    mutating func add(_ key: Key, _ values: @autoclosure () -> [String]) {
        // Most requests have the same outcome as the one before; they need no lookup.
        if latest == key { return latestCount &+= 1 }
        settle()
        if entries[key] == nil { entries[key] = (values(), 0) }
        (latest, latestCount) = (key, 1)
    }

    private mutating func settle() {
        if let latest { entries[latest]?.count &+= latestCount }
        latest = nil
    }

    /// Adds the counts to the sums, and resets them.
    mutating func handOver(to counter: borrowing LabelledCounter) {
        guard !entries.isEmpty else { return }
        settle()
        for entry in entries.values { counter.add(entry.count, entry.values) }
        entries.removeAll(keepingCapacity: true)
    }
}
