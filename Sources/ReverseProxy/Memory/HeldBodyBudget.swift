import MetricFamilies
import Synchronization

/// The memory of all request bodies that are held, on all event loops.
///
/// Each body has a limit of its own, and many small ones are still a lot: whoever can send requests could hold as many
/// as may be in flight.
final class HeldBodyBudget: Sendable {
    private let bytes = Atomic<Int>(0)

    /// Bytes that are held now.
    var byteCount: Int { bytes.load(ordering: .relaxed) }

    var family: MetricFamily {
        .gauge(
            "bearward_held_body_bytes",
            "Memory of request bodies that are held, so that they can be sent again if an HTTP/2 upstream did not process them.",
            byteCount)
    }

    /// Takes bytes; false, and nothing taken, if more than the limit would be held then.
    func take(_ count: Int, limit: Int) -> Bool {
        guard bytes.wrappingAdd(count, ordering: .relaxed).newValue > limit else { return true }
        giveBack(count)
        return false
    }

    func giveBack(_ count: Int) {
        bytes.wrappingSubtract(count, ordering: .relaxed)
    }
}
