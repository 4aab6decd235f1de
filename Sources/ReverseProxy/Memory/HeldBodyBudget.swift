import MetricFamilies
import Synchronization

/// Memory of all held request bodies, over all event loops.
///
/// Each body has its own limit, but many small ones are still a lot: a client that can send requests could have one
/// held for each request in flight.
final class HeldBodyBudget: Sendable {
    private let bytes = Atomic<Int>(0)

    /// Bytes held now.
    var byteCount: Int { bytes.load(ordering: .relaxed) }

    var family: MetricFamily {
        .gauge(
            "bearward_held_body_bytes",
            "Bytes of request bodies that are held for a verdict, or to be sent again if an HTTP/2 upstream did not process them.",
            byteCount)
    }

    /// Adds bytes to the total. False, without adding, if the total would exceed the limit.
    func take(_ count: Int, limit: Int) -> Bool {
        guard bytes.wrappingAdd(count, ordering: .relaxed).newValue > limit else { return true }
        giveBack(count)
        return false
    }

    func giveBack(_ count: Int) {
        bytes.wrappingSubtract(count, ordering: .relaxed)
    }
}
