import Dispatch
import Synchronization

/// Returns free heap memory to the system.
///
/// The allocator keeps freed blocks, and under changing load they accumulate without a leak. The resident size then
/// does not show the memory in use. The event loops only ask; a separate dispatch queue does the work.
final class HeapTrimmer: Sendable {
    /// Allocated bytes, and free bytes that the allocator keeps.
    struct Heap: Sendable {
        let allocated: Int
        let free: Int
    }

    private let nextLook = Atomic<Int64>(.min)
    private let queue = DispatchQueue(label: "bearward.heap-trimmer", qos: .utility)
    private let heap: @Sendable () -> Heap
    private let trim: @Sendable () -> Void

    /// Time between two checks, in nanoseconds.
    private static let interval: Int64 = 10_000_000_000
    /// Least free memory worth trimming, in bytes: trimming costs a system call for each free block.
    static let leastFree = 16 << 20

    /// - Parameters:
    ///   - heap: Reads the allocator's figures.
    ///   - trim: Returns free memory to the system.
    init(heap: @escaping @Sendable () -> Heap, trim: @escaping @Sendable () -> Void) {
        self.heap = heap
        self.trim = trim
    }

    /// Trims the heap of this process.
    convenience init() {
        self.init(heap: { ProcessMemory.heap() }, trim: { ProcessMemory.giveBack() })
    }

    /// Checks the heap every ten seconds, whichever event loop calls. Times are monotonic, in nanoseconds.
    func look(at now: Int64) {
        let due = nextLook.load(ordering: .relaxed)
        guard due <= now,
            nextLook.compareExchange(expected: due, desired: now &+ Self.interval, ordering: .relaxed).exchanged
        else { return }
        queue.async { [heap, trim] in
            if Self.isWorthTrimming(heap()) { trim() }
        }
    }

    /// True if more is free than in use. Less free memory is kept, because it will soon be needed again.
    static func isWorthTrimming(_ heap: Heap) -> Bool {
        heap.free > max(leastFree, heap.allocated)
    }

    /// Waits until a check in progress is done; for tests.
    func finish() { queue.sync {} }
}
