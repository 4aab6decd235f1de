import NetworkNames
import Synchronization

/// How many verifications of each client's tokens failed in the present second.
///
/// A second that has passed is forgotten whole, and what is kept of one is bounded by ``clientLimit``.
final class FailedVerifications: Sendable {
    /// The clients that are counted within one second. Failures of more are not counted: so many clients with one
    /// failure each are below every limit, and must not take it from those who follow.
    static let clientLimit = 65_536

    private struct Second {
        var number: Int64 = 0
        var counts: [IPAddress: Int] = [:]
    }

    private let second = Mutex(Second())
    /// The last second in which a client reached its limit, to see without a lock whether there is any client to look
    /// for.
    private let latest = Atomic<Int64>(.min)

    /// Whether any client reached its limit in this second; times are monotonic, in nanoseconds.
    func isAnyExhausted(at now: Int64) -> Bool {
        latest.load(ordering: .relaxed) >= now / 1_000_000_000
    }

    func isExhausted(_ address: IPAddress, limit: Int, at now: Int64) -> Bool {
        second.withLock { $0.number >= now / 1_000_000_000 && $0.counts[address.client, default: 0] >= limit }
    }

    /// - Parameters:
    ///   - failures: how many failed verifications a request has cost.
    ///   - limit: the failures in one second from which on a client is exhausted.
    func add(_ address: IPAddress, _ failures: Int = 1, limit: Int, at now: Int64) {
        let client = address.client
        second.withLock { second in
            let number = now / 1_000_000_000
            // A loop may be a little late with a failure of the last second; it counts for this one.
            if number > second.number || second.counts.isEmpty { second = Second(number: number) }
            guard let count = second.counts[client] ?? (second.counts.count < Self.clientLimit ? 0 : nil) else {
                return
            }
            second.counts[client] = count + failures
            if count + failures >= limit { latest.store(second.number, ordering: .relaxed) }
        }
    }

    /// The clients that are counted, those of a second that has passed included.
    var clientCount: Int { second.withLock { $0.counts.count } }
}
