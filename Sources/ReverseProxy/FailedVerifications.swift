import Synchronization

/// How many verifications of each client's tokens failed in the present second.
///
/// A second that has passed is forgotten whole, so what is kept is bounded by how many signatures can be checked in one.
final class FailedVerifications: Sendable {
    private struct Second {
        var number: Int64 = 0
        var counts: [IPAddress: Int] = [:]
    }

    private let second = Mutex(Second())
    /// The present second's number, to see without a lock whether there is anything to look for.
    private let latest = Atomic<Int64>(.min)

    /// Whether any failed in this second; times are monotonic, in nanoseconds.
    func areThereAny(at now: Int64) -> Bool {
        latest.load(ordering: .relaxed) >= now / 1_000_000_000
    }

    func isExhausted(_ address: IPAddress, limit: Int, at now: Int64) -> Bool {
        second.withLock { $0.number >= now / 1_000_000_000 && $0.counts[address.client, default: 0] >= limit }
    }

    func add(_ address: IPAddress, at now: Int64) {
        second.withLock { second in
            let number = now / 1_000_000_000
            // A loop may be a little late with a failure of the last second; it counts for this one.
            if number > second.number || second.counts.isEmpty {
                second = Second(number: number)
                latest.store(number, ordering: .relaxed)
            }
            second.counts[address.client, default: 0] += 1
        }
    }
}
