import Dispatch
import Synchronization

/// Returns free heap memory to the system.
///
/// The allocator keeps what was freed. Under changing load the kept blocks grow, although nothing is leaked: the
/// resident size then does not show what is in use. The event loops only ask; a queue of its own does the work.
final class HeapTrimmer: Sendable {
    /// Bytes that were allocated, and bytes that the allocator keeps free.
    struct Heap: Sendable {
        let allocated: Int
        let free: Int
    }

    private let nextLook = Atomic<Int64>(.min)
    private let queue = DispatchQueue(label: "bearward.heap-trimmer", qos: .utility)
    private let heap: @Sendable () -> Heap
    private let trim: @Sendable () -> Void

    /// Between two looks, in nanoseconds.
    private static let interval: Int64 = 10_000_000_000
    /// Less free memory than this is not worth a system call for each of its blocks.
    static let leastFree = 16 << 20

    /// - Parameters:
    ///   - heap: the allocator's figures.
    ///   - trim: returns what is free to the system.
    init(heap: @escaping @Sendable () -> Heap, trim: @escaping @Sendable () -> Void) {
        self.heap = heap
        self.trim = trim
    }

    /// Of this process.
    convenience init() {
        self.init(heap: { ProcessMemory.heap() }, trim: { ProcessMemory.giveBack() })
    }

    /// Looks every ten seconds, whichever event loop asks. Times are monotonic, in nanoseconds.
    func look(at now: Int64) {
        let due = nextLook.load(ordering: .relaxed)
        guard due <= now,
            nextLook.compareExchange(expected: due, desired: now &+ Self.interval, ordering: .relaxed).exchanged
        else { return }
        queue.async { [heap, trim] in
            if Self.isWorthTrimming(heap()) { trim() }
        }
    }

    /// Whether more is free than in use: what is needed again soon stays.
    static func isWorthTrimming(_ heap: Heap) -> Bool {
        heap.free > max(leastFree, heap.allocated)
    }

    /// Waits for the look that is in progress, if there is one; for tests.
    func finish() { queue.sync {} }
}
