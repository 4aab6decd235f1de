import MetricFamilies
import Synchronization

/// A counter with one sample for each case of an enum, summed over all event loops.
struct CaseCounter<Case: CaseIterable & Hashable & Sendable & RawRepresentable<String>>: ~Copyable, Sendable {
    private let sums = Mutex<[Case: UInt64]>([:])

    func add(_ word: Case, _ count: UInt64 = 1) {
        guard count > 0 else { return }
        sums.withLock { $0[word, default: 0] &+= count }
    }

    /// Counts by case. A case that was never counted is absent.
    var counts: [Case: UInt64] { sums.withLock { $0 } }

    func samples(_ label: StaticString) -> [MetricFamily.Sample] {
        let counts = counts
        return Case.allCases.map { MetricFamily.Sample(counts[$0] ?? 0, [(label, $0.rawValue)]) }
    }
}
