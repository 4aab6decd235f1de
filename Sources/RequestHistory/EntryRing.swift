/// The latest entries of a log, in one buffer of bounded size. The oldest are dropped first.
///
/// An entry is a byte string that the ring does not interpret, with its number and a time. The buffer grows up to the
/// capacity, which includes ``headerLength`` bytes for each entry, and never beyond. Its copies share the buffer until
/// one of them is changed.
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
    /// Bytes before each entry: its length, number and time.
    static let headerLength = 4 + 8 + 8

    /// Largest size of the buffer, in bytes.
    public let capacity: Int
    /// Number of entries that were left out: too long ones, and those that ``leaveOut()`` counted.
    public private(set) var leftOut: UInt64 = 0
    /// Number of entries that were appended, without those left out.
    public private(set) var appended: UInt64 = 0
    /// Number of entries in the ring.
    public private(set) var count = 0
    private var buffer: [UInt8] = []
    /// Scratch storage for the header of an entry.
    private var header: [UInt8] = []
    /// Offset of the oldest entry in the buffer.
    private var begin = 0
    /// Bytes used by the entries, with their headers.
    private var used = 0
    /// First size of the buffer in bytes; it doubles as needed.
    private static let firstSize = 16 * 1024

    /// - Parameter capacity: in bytes. Without room for an entry, all are left out.
    public init(capacity: Int) {
        self.capacity = max(0, capacity)
    }

    /// Counts an entry that the caller leaves out.
    public mutating func leaveOut() { leftOut &+= 1 }

    /// Appends an entry, and drops as many of the oldest as it needs space.
    public mutating func append(_ entry: ArraySlice<UInt8>, at time: Int64) {
        let length = entry.count &+ Self.headerLength
        guard entry.count <= Self.longestEntry, length <= capacity else {
            leftOut &+= 1
            return
        }
        while capacity &- used < length { dropOldest() }
        setHeader(entry.count, time)
        write(header[...], at: 0)
        write(entry, at: Self.headerLength)
        used &+= length
        count &+= 1
        appended &+= 1
    }

    private mutating func setHeader(_ length: Int, _ time: Int64) {
        header.removeAll(keepingCapacity: true)
        for shift in 0..<4 { header.append(UInt8(truncatingIfNeeded: length &>> (8 &* shift))) }
        for shift in 0..<8 { header.append(UInt8(truncatingIfNeeded: appended &>> (8 &* UInt64(shift)))) }
        for shift in 0..<8 { header.append(UInt8(truncatingIfNeeded: time &>> (8 &* Int64(shift)))) }
    }

    /// Writes bytes behind the entries, `offset` bytes after their end. They continue at the buffer's beginning.
    private mutating func write(_ bytes: ArraySlice<UInt8>, at offset: Int) {
        let end = (begin &+ used &+ offset) % capacity
        let first = bytes.prefix(capacity &- end)
        put(first, at: end)
        if first.count < bytes.count { put(bytes.dropFirst(first.count), at: 0) }
    }

    private mutating func put(_ bytes: ArraySlice<UInt8>, at offset: Int) {
        guard offset == buffer.count else {
            unsafe buffer.withUnsafeMutableBytes { buffer in
                unsafe bytes.withUnsafeBytes { bytes in
                    // SAFETY: the bytes end at most at the capacity, up to which the buffer has grown.
                    unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[offset..<offset &+ bytes.count])
                        .copyMemory(from: bytes)
                }
            }
            return
        }
        if buffer.capacity < offset &+ bytes.count {
            buffer.reserveCapacity(min(capacity, max(Self.firstSize, 2 &* buffer.capacity, offset &+ bytes.count)))
        }
        buffer.append(contentsOf: bytes)
    }

    private mutating func dropOldest() {
        guard count > 0 else { return }
        let length = Int(number(at: begin, byteCount: 4)) &+ Self.headerLength
        begin = (begin &+ length) % capacity
        used &-= length
        count &-= 1
    }

    private func number(at offset: Int, byteCount: Int) -> UInt64 {
        var number: UInt64 = 0
        for index in 0..<byteCount {
            number |= UInt64(buffer[(offset &+ index) % capacity]) &<< (8 &* UInt64(index))
        }
        return number
    }

    /// All entries, newest first.
    public var newestFirst: [Entry] {
        var entries: [Entry] = []
        entries.reserveCapacity(count)
        var offset = begin
        for _ in 0..<count {
            let length = Int(number(at: offset, byteCount: 4))
            entries.append(
                Entry(
                    number: number(at: offset &+ 4, byteCount: 8),
                    time: Int64(bitPattern: number(at: offset &+ 12, byteCount: 8)),
                    bytes: bytes(at: offset &+ Self.headerLength, length)))
            offset = (offset &+ Self.headerLength &+ length) % capacity
        }
        return entries.reversed()
    }

    private func bytes(at offset: Int, _ length: Int) -> [UInt8] {
        let begin = offset % capacity
        let first = buffer[begin..<min(capacity, begin &+ length)]
        return Array(first) + buffer[..<(length &- first.count)]
    }
}
