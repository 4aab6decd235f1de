import NetworkNames
import Synchronization

/// Failed token verifications of each client in the current second.
///
/// Counts of a past second are dropped at once. The number of clients is bounded by ``clientLimit``.
final class FailedVerifications: Sendable {
    /// Largest number of clients counted in one second. Failures of further clients are not counted: many clients with
    /// one failure each are below every limit, and must not use up the entries of others.
    static let clientLimit = 65_536

    private struct Second {
        var number: Int64 = 0
        var counts: [IPAddress: Int] = [:]
    }

    private let second = Mutex(Second())
    /// Last second in which any client reached its limit. Read without the lock, to skip the lookup if there is none.
    private let latest = Atomic<Int64>(.min)

    /// True if any client reached its limit in this second. Times are monotonic, in nanoseconds.
    func isAnyExhausted(at now: Int64) -> Bool {
        latest.load(ordering: .relaxed) >= now / 1_000_000_000
    }

    func isExhausted(_ address: IPAddress, limit: Int, at now: Int64) -> Bool {
        second.withLock { $0.number >= now / 1_000_000_000 && $0.counts[address.client, default: 0] >= limit }
    }

    /// - Parameters:
    ///   - failures: Number of failed verifications that a request caused.
    ///   - limit: Failures in one second at which a client is exhausted.
    func add(_ address: IPAddress, _ failures: Int = 1, limit: Int, at now: Int64) {
        let client = address.client
        second.withLock { second in
            let number = now / 1_000_000_000
            // A loop may report a failure of the last second late; it counts for this one.
            if number > second.number || second.counts.isEmpty { second = Second(number: number) }
            guard let count = second.counts[client] ?? (second.counts.count < Self.clientLimit ? 0 : nil) else {
                return
            }
            second.counts[client] = count + failures
            if count + failures >= limit { latest.store(second.number, ordering: .relaxed) }
        }
    }

    /// Number of clients counted, including those of a past second.
    var clientCount: Int { second.withLock { $0.counts.count } }
}
