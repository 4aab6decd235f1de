/// Keys that occurred most often in the last minutes: the current minute, and the four before it.
///
/// Each minute has a sketch of its own, which is dropped as a whole. So what is counted reaches back between four and
/// five minutes. Takes ``byteCount`` bytes, and allocates only when it is made, or changed after it was copied.
public struct HeavyHitterWindow: Sendable {
    /// Number of slices of one minute each.
    public static let sliceCount = 5
    /// Length of a slice in nanoseconds.
    public static let sliceLength: Int64 = 60_000_000_000
    /// Size in bytes of the storage of one window.
    public static let byteCount = sliceCount * HeavyHitters.byteCount

    private let hash: KeyHash
    private var current = HeavyHitters()
    /// The slices before the current one, oldest first. Some may be empty.
    private var past = [HeavyHitters](repeating: HeavyHitters(), count: sliceCount - 1)
    /// End of the current slice. Before the first key, the distant past.
    private var end = Int64.min
    /// Beginning of the oldest slice that has keys; monotonic, in nanoseconds. Nil before the first key.
    private var begin: Int64?

    public init(hash: KeyHash = KeyHash()) {
        self.hash = hash
    }

    /// Hash of a key, under the secret of the window.
    ///
    /// - Parameter scope: a number that belongs to the key, such as that of its issuer.
    public func hash(of key: Span<UInt8>, scope: Int = 0) -> UInt64 { hash(key, scope: scope) }

    /// Counts a key that has an entry in the current slice. False, without counting, if it has none.
    ///
    /// - Parameter now: monotonic time in nanoseconds. A time before that of the last call counts as that.
    public mutating func addKnown(_ hash: UInt64, at now: Int64) -> Bool {
        advance(to: now)
        return current.addKnown(hash)
    }

    /// Counts a key for which ``addKnown(_:at:)`` just returned false.
    ///
    /// - Parameters:
    ///   - text: bytes that are shown for the key. They may be others than those hashed, but belong to them alone.
    ///     Bytes beyond ``HeavyHitters/longestKey`` are not shown.
    ///   - hash: hash of the key.
    public mutating func addUnknown(_ text: Span<UInt8>, _ hash: UInt64) {
        current.addUnknown(text, hash)
    }

    /// Counts a key once.
    public mutating func add(_ key: Span<UInt8>, at now: Int64) {
        let hash = hash(of: key)
        if !addKnown(hash, at: now) { addUnknown(key, hash) }
    }

    /// Drops the slices that are too old.
    public mutating func advance(to now: Int64) {
        if now >= end { beginSlices(until: now) }
    }

    private mutating func beginSlices(until now: Int64) {
        guard begin != nil else {
            (begin, end) = (now, now &+ Self.sliceLength)
            return
        }
        let passed = (now &- end) / Self.sliceLength &+ 1
        for _ in 0..<min(passed, Int64(Self.sliceCount)) {
            // The storage of the oldest slice is used again.
            var next = past.removeFirst()
            next.removeAll()
            swap(&next, &current)
            past.append(next)
        }
        end = end &+ passed &* Self.sliceLength
        begin = max(begin ?? now, end &- Int64(Self.sliceCount) &* Self.sliceLength)
    }

    /// Time that is counted, up to `now`, in nanoseconds. Zero before the first key.
    public func length(at now: Int64) -> Int64 { begin.map { max(0, now &- $0) } ?? 0 }

    /// Keys of all slices. Call ``advance(to:)`` first. Sorts up to 640 entries.
    public var summary: HeavyHitterSummary {
        past.reduce(current.summary) { $0.merged(with: $1.summary) }
    }
}
