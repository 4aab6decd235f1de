/// Keys that occurred most often in the last minutes: the current slice of time, and those before it.
///
/// Each slice has a sketch of its own, which is dropped as a whole. So what is counted reaches back between one slice
/// less than all, and all. Takes ``byteCount`` bytes. Allocates only when it is made, or changed after it was copied.
public struct HeavyHitterWindow: Sendable {
    /// Length of time, and number of entries.
    public struct Size: Sendable, Hashable {
        public let sliceCount: Int
        /// Length of a slice in nanoseconds.
        public let sliceLength: Int64
        /// Entries of each slice.
        public let capacity: Int

        /// Five minutes, with 64 entries.
        public static let minutes = Size(sliceCount: 5, sliceLength: 60_000_000_000, capacity: 64)
        /// An hour, with 256 entries.
        public static let hour = Size(sliceCount: 6, sliceLength: 600_000_000_000, capacity: 256)
    }

    private let size: Size
    private var current: HeavyHitters
    /// The slices before the current one, oldest first. Some may be empty.
    private var past: [HeavyHitters]
    /// End of the current slice. Before the first key, the distant past.
    private var end = Int64.min
    /// Beginning of the oldest slice that has keys; monotonic, in nanoseconds. Nil before the first key.
    private var begin: Int64?

    public init(_ size: Size = .minutes) {
        self.size = size
        current = HeavyHitters(capacity: size.capacity)
        past = Array(repeating: current, count: size.sliceCount &- 1)
    }

    /// Size in bytes of the storage of one window.
    public var byteCount: Int { size.sliceCount &* HeavyHitters.byteCount(capacity: current.capacity) }

    /// Counts a key that has an entry in the current slice. False, without counting, if it has none.
    ///
    /// - Parameters:
    ///   - hash: hash of the key, by the same ``KeyHash`` in the life of the window.
    ///   - times: number of times that it is counted.
    ///   - now: monotonic time in nanoseconds. A time before that of the last call counts as that.
    public mutating func addKnown(_ hash: UInt64, times: UInt64 = 1, at now: Int64) -> Bool {
        advance(to: now)
        return current.addKnown(hash, times: times)
    }

    /// Counts a key for which ``addKnown(_:at:)`` just returned false.
    ///
    /// - Parameters:
    ///   - prefix: beginning of the bytes that are shown for the key. They may be others than those hashed, but belong
    ///     to them alone.
    ///   - rest: the rest of them. Bytes beyond ``HeavyHitters/longestKey`` are not shown.
    ///   - hash: hash of the key.
    ///   - times: number of times that it is counted.
    public mutating func addUnknown(
        _ prefix: Span<UInt8>, _ rest: Span<UInt8>, _ hash: UInt64, times: UInt64 = 1
    ) {
        current.addUnknown(prefix, rest, hash, times: times)
    }

    /// Drops the slices that are too old.
    public mutating func advance(to now: Int64) {
        if now >= end { beginSlices(until: now) }
    }

    private mutating func beginSlices(until now: Int64) {
        guard begin != nil else {
            (begin, end) = (now, now &+ size.sliceLength)
            return
        }
        let passed = (now &- end) / size.sliceLength &+ 1
        for _ in 0..<min(passed, Int64(size.sliceCount)) {
            // The storage of the oldest slice is used again.
            var next = past.removeFirst()
            next.removeAll()
            swap(&next, &current)
            past.append(next)
        }
        end = end &+ passed &* size.sliceLength
        begin = max(begin ?? now, end &- Int64(size.sliceCount) &* size.sliceLength)
    }

    /// Time that is counted, up to `now`, in nanoseconds. Zero before the first key.
    public func length(at now: Int64) -> Int64 { begin.map { max(0, now &- $0) } ?? 0 }

    /// Keys of all slices. Call ``advance(to:)`` first. Sorts the entries of two slices for each slice.
    public var summary: HeavyHitterSummary {
        past.reduce(current.summary) { $0.merged(with: $1.summary) }
    }
}
