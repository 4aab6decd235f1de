/// The latest entries of a log, in one buffer of bounded size. The oldest are dropped first.
///
/// An entry is a byte string that the ring does not interpret, with its number and a time. The buffer grows up to the
/// capacity, which includes ``headerLength`` bytes for each entry and up to seven that fill its last word, and never
/// beyond. Its copies share the buffer until one of them is changed.
public struct EntryRing: Sendable {
    public struct Entry: Sendable, Hashable {
        /// Number of the entry among all that were appended to this ring, from zero.
        public let number: UInt64
        /// Time as it was passed to ``EntryRing/append(_:at:)``.
        public let time: Int64
        public let bytes: [UInt8]

        public init(number: UInt64, time: Int64, bytes: [UInt8]) {
            (self.number, self.time, self.bytes) = (number, time, bytes)
        }
    }

    /// Longest entry that is kept, in bytes. Longer ones are left out and counted, because a part is no valid line.
    public static let longestEntry = 16 * 1024
    /// Bytes before each entry: a word each for its length, number and time.
    static let headerLength = headerWords * wordLength
    private static let headerWords = 3
    private static let wordLength = 8

    /// Largest size of the buffer, in words.
    private let capacity: Int
    /// Number of entries that were left out: too long ones, and those that ``leaveOut()`` counted.
    public private(set) var leftOut: UInt64 = 0
    /// Number of entries that were appended, without those left out.
    public private(set) var appended: UInt64 = 0
    /// Number of entries in the ring.
    public private(set) var count = 0
    /// Entries in whole words, so that none of the three words of a header is divided where the buffer ends.
    private var buffer: [UInt64] = []
    /// Index of the word with which the oldest entry begins.
    private var begin = 0
    /// Words used by the entries, with their headers.
    private var used = 0
    /// First size of the buffer in words; it doubles as needed.
    private static let firstSize = 2 * 1024

    /// - Parameter capacity: in bytes. Without room for an entry, all are left out.
    public init(capacity: Int) {
        self.capacity = max(0, capacity) / Self.wordLength
    }

    /// Counts an entry that the caller leaves out.
    public mutating func leaveOut() { leftOut &+= 1 }

    /// Appends an entry, and drops as many of the oldest as it needs space.
    public mutating func append(_ entry: Span<UInt8>, at time: Int64) {
        let words = Self.words(entry.count)
        guard entry.count <= Self.longestEntry, words <= capacity else {
            leftOut &+= 1
            return
        }
        // Before an entry is dropped: where the entries do not begin at the first word, the buffer must be complete.
        if used &+ words > buffer.count, buffer.count < capacity { grow(to: used &+ words) }
        while capacity &- used < words { dropOldest() }
        let end = index(used, after: begin)
        buffer[end] = UInt64(truncatingIfNeeded: entry.count)
        buffer[index(1, after: end)] = appended
        buffer[index(2, after: end)] = UInt64(bitPattern: time)
        write(entry, at: index(Self.headerWords, after: end))
        used &+= words
        count &+= 1
        appended &+= 1
    }

    /// Words that an entry takes, with its header.
    private static func words(_ byteCount: Int) -> Int {
        headerWords &+ (byteCount &+ wordLength &- 1) / wordLength
    }

    /// Index of the word that is so many after another. Behind the last word comes the first.
    private func index(_ distance: Int, after index: Int) -> Int {
        let sum = index &+ distance
        return sum < capacity ? sum : sum &- capacity
    }

    /// Grows the buffer, whose entries begin at its first word until it is complete.
    private mutating func grow(to words: Int) {
        let size = min(capacity, max(Self.firstSize, 2 &* buffer.count, words))
        buffer.reserveCapacity(size)
        buffer.append(contentsOf: repeatElement(0, count: size &- buffer.count))
    }

    /// Writes bytes from the beginning of a word on. They continue at the buffer's beginning.
    private mutating func write(_ bytes: Span<UInt8>, at index: Int) {
        unsafe buffer.withUnsafeMutableBytes { buffer in
            unsafe bytes.withUnsafeBytes { bytes in
                let begin = index &* Self.wordLength
                let first = min(bytes.count, buffer.count &- begin)
                // SAFETY: the first part ends at most where the buffer does. The rest is shorter than the buffer, as
                // no entry is longer.
                unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[begin..<begin &+ first])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<first]))
                guard first < bytes.count else { return }
                unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[first...]))
            }
        }
    }

    private mutating func dropOldest() {
        guard count > 0 else { return }
        let words = Self.words(length(at: begin))
        begin = index(words, after: begin)
        used &-= words
        count &-= 1
    }

    private func length(at index: Int) -> Int { Int(truncatingIfNeeded: buffer[index]) }

    /// All entries, newest first.
    public var newestFirst: [Entry] {
        var entries: [Entry] = []
        entries.reserveCapacity(count)
        var word = begin
        for _ in 0..<count {
            entries.append(
                Entry(
                    number: buffer[index(1, after: word)], time: Int64(bitPattern: buffer[index(2, after: word)]),
                    bytes: bytes(length(at: word), at: index(Self.headerWords, after: word))))
            word = index(Self.words(length(at: word)), after: word)
        }
        return entries.reversed()
    }

    private func bytes(_ count: Int, at index: Int) -> [UInt8] {
        unsafe buffer.withUnsafeBytes { buffer in
            let begin = index &* Self.wordLength
            let first = unsafe buffer[begin..<min(buffer.count, begin &+ count)]
            return unsafe Array(first) + buffer[..<(count &- first.count)]
        }
    }
}
