import JOSE

/// Ring buffer of consecutive records in one block of memory, written at the head and dropped at the tail. No record
/// has an allocation of its own.
///
/// The memory is reserved with the first record, and touched when the head first reaches it. So a ring that is hardly
/// used takes hardly any memory.
struct TokenRing: ~Copyable {
    /// Size of the ring in bytes, a multiple of eight.
    let capacity: Int
    private var bytes: [UInt8] = []
    /// Offset of the next record.
    private var head = 0
    /// Offset of the oldest record or padding, if any bytes are used.
    private var tail = 0
    /// Bytes between tail and head, including padding.
    private var used = 0

    /// Minimum number of bytes by which the touched part of the reserved memory grows.
    private static let step = 16 * 1024

    init(capacity: Int) {
        self.capacity = min(max(0, capacity), TokenSlot.mostRingBytes) / 8 * 8
    }

    /// Bytes of memory touched so far.
    var touched: Int { bytes.count }

    /// The header at an offset, which must come from the index or be the tail. Nil if there is no header, which does
    /// not occur at these offsets.
    func header(at offset: Int) -> TokenRecordHeader? {
        TokenRecordHeader(words: [word(at: offset), word(at: offset + 8), word(at: offset + 16), word(at: offset + 24)])
    }

    func record(_ header: TokenRecordHeader, at offset: Int) -> ArraySlice<UInt8> {
        let start = offset + TokenRecordHeader.size
        return bytes[start..<start + header.length]
    }

    mutating func setReferences(_ references: UInt8, at offset: Int) {
        bytes[offset + TokenRecordHeader.referencesOffset] = references
    }

    /// Marks a record as dropped; its bytes are reused after the tail has passed them.
    mutating func markDead(at offset: Int) {
        bytes[offset + TokenRecordHeader.kindOffset] = TokenRecordHeader.Kind.dead.rawValue
    }

    // MARK: At the tail

    /// The oldest live record; dead ones and padding before it are dropped. Nil if there is none.
    mutating func oldest() -> (header: TokenRecordHeader, offset: Int)? {
        while used > 0 {
            // Padding may be too short for a complete header.
            let start = word(at: tail)
            if UInt8(truncatingIfNeeded: start >> 16) == TokenRecordHeader.Kind.live.rawValue {
                return header(at: tail).map { header in (header, tail) }
            }
            advanceTail(over: Int(start >> 32))
        }
        return nil
    }

    /// Drops the oldest record, which must be the one that `oldest` just returned.
    mutating func dropOldest(_ header: TokenRecordHeader) {
        advanceTail(over: header.slotSize)
    }

    private mutating func advanceTail(over size: Int) {
        tail += size
        used -= size
        if tail == capacity { tail = 0 }
        if used == 0 { (head, tail) = (0, 0) }
    }

    // MARK: At the head

    /// True if a slot of this size fits in one piece.
    func hasRoom(for size: Int) -> Bool {
        guard size <= capacity - used else { return false }
        return head < tail || size <= capacity - head || size <= tail
    }

    /// Writes a record at the head, where there must be space. Returns its offset.
    mutating func append(_ header: TokenRecordHeader, record: Span<UInt8>) -> Int {
        let offset = claim(header.slotSize)
        write(header, at: offset)
        write(record, at: offset)
        return offset
    }

    /// Copies a record of another ring to the head, where there must be space. Returns its offset.
    mutating func append(_ header: TokenRecordHeader, from other: borrowing TokenRing, at otherOffset: Int) -> Int {
        let offset = claim(header.slotSize)
        write(header, at: offset)
        let start = otherOffset + TokenRecordHeader.size
        write(other.bytes.span.extracting(start..<start + header.length), at: offset)
        return offset
    }

    /// Moves the oldest record, which `oldest` just returned, to the head. Returns its new offset.
    ///
    /// There is always space: the free bytes include the record's old ones. It is copied in ascending order, because
    /// the ranges may overlap, and then the new one is lower.
    mutating func moveOldest(_ header: TokenRecordHeader) -> Int {
        let old = tail
        advanceTail(over: header.slotSize)
        let offset = claim(header.slotSize)
        copyUpwards(from: old, to: offset, count: header.slotSize)
        setReferences(header.references, at: offset)
        return offset
    }

    /// Overwrites a record with another of the same slot size.
    mutating func overwrite(_ header: TokenRecordHeader, record: Span<UInt8>, at offset: Int) {
        write(header, at: offset)
        write(record, at: offset)
    }

    private mutating func claim(_ size: Int) -> Int {
        if head >= tail, size > capacity - head { wrap() }
        let offset = head
        touch(offset + size)
        head += size
        used += size
        if head == capacity { head = 0 }
        return offset
    }

    /// Fills the rest of the ring with padding and continues at its beginning.
    private mutating func wrap() {
        let rest = capacity - head
        touch(head + 8)
        setWord(TokenRecordHeader.padding(rest), at: head)
        used += rest
        head = 0
    }

    /// Extends the ring's memory to this offset. All of it is reserved at once, so it never moves.
    private mutating func touch(_ end: Int) {
        guard end > bytes.count else { return }
        if bytes.isEmpty { bytes.reserveCapacity(capacity) }
        bytes.append(
            contentsOf: repeatElement(0, count: min(capacity, max(end, bytes.count + Self.step)) - bytes.count))
    }

    // MARK: Bytes

    private mutating func write(_ header: TokenRecordHeader, at offset: Int) {
        let words = header.words
        for index in words.indices { setWord(words[index], at: offset + 8 * index) }
    }

    private mutating func write(_ record: Span<UInt8>, at offset: Int) {
        var target = bytes.mutableSpan
        let start = offset + TokenRecordHeader.size
        for index in record.indices { target[start + index] = record[index] }
    }

    private mutating func copyUpwards(from old: Int, to new: Int, count: Int) {
        var target = bytes.mutableSpan
        for index in 0..<count { target[new + index] = target[old + index] }
    }

    private func word(at offset: Int) -> UInt64 {
        let bytes = bytes.span.extracting(offset..<offset + 8)
        let low = UInt64(bytes[0]) | UInt64(bytes[1]) << 8 | UInt64(bytes[2]) << 16 | UInt64(bytes[3]) << 24
        let high = UInt64(bytes[4]) | UInt64(bytes[5]) << 8 | UInt64(bytes[6]) << 16 | UInt64(bytes[7]) << 24
        return low | high << 32
    }

    private mutating func setWord(_ word: UInt64, at offset: Int) {
        for index in 0..<8 { bytes[offset + index] = UInt8(truncatingIfNeeded: word >> (8 * UInt64(index))) }
    }
}

/// Location of a record in a shard: the ring, and the byte offset in it.
struct TokenSlot: Hashable {
    /// Encoded location. It is never zero, so that zero can mark an empty slot of the index.
    let rawValue: UInt32

    /// The ring of a record.
    enum Ring {
        case probation
        case main
    }

    /// Most bytes of a ring whose offsets fit into a location: 16 GiB.
    static let mostRingBytes = (Int(Int32.max) - 1) * 8

    private static let mainBit: UInt32 = 1 << 31

    init(_ ring: Ring, offset: Int) {
        rawValue = (UInt32(truncatingIfNeeded: offset / 8) + 1) | (ring == .main ? Self.mainBit : 0)
    }

    init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    var ring: Ring { rawValue & Self.mainBit == 0 ? .probation : .main }

    var offset: Int { (Int(rawValue & ~Self.mainBit) - 1) * 8 }
}
