import Synchronization

/// Finished requests by class of the status, summed over all rules and all event loops.
///
/// ``RequestCounts`` has the same by rule, where summing them up takes time for each of many rules.
struct StatusTotals: ~Copyable, Sendable {
    private let sums = Mutex([SeriesSum](repeating: SeriesSum(), count: StatusClass.allCases.count))

    func add(_ tally: [SeriesSum]) {
        sums.withLock { sums in
            for (index, sum) in zip(sums.indices, tally) { sums[index].add(sum) }
        }
    }

    /// Sums by the number of the class.
    var all: [SeriesSum] { sums.withLock { $0 } }
}
