/// Writer of protobuf fields into memory that is reused.
///
/// The event loops write spans with it: building the same messages with the library costs many times as much. It has
/// memory of its own, since an array is checked for other owners at each write.
@safe
struct ProtobufBytes: ~Copyable {
    private var memory: UnsafeMutableRawPointer
    private var capacity: Int
    /// Number of bytes written so far.
    private(set) var count = 0
    private let keys = AttributeKeys()

    /// Number of bytes of each message's length. It is written before the message is, so it has a fixed size.
    private static let lengthSize = 3
    /// Largest size of a number.
    private static let largestVarint = 10

    init() {
        capacity = 4096
        unsafe memory = .allocate(byteCount: capacity, alignment: 1)
    }

    deinit { unsafe memory.deallocate() }

    /// Copies out what was written, and starts again.
    mutating func take() -> [UInt8] {
        defer { count = 0 }
        // SAFETY: the first `count` bytes were written.
        return unsafe Array(UnsafeRawBufferPointer(start: memory, count: count))
    }

    /// Discards the bytes from an offset on.
    mutating func removeAll(from start: Int) { count = max(0, min(count, start)) }

    /// The place of the next byte, with space for as many as are asked for. They count once `count` says so.
    @unsafe
    @inline(__always)
    private mutating func place(for more: Int) -> UnsafeMutableRawPointer {
        if capacity &- count < more { grow(by: more) }
        return unsafe memory.advanced(by: count)
    }

    @inline(never)
    private mutating func grow(by more: Int) {
        capacity = max(count &+ more, 2 &* capacity)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 1)
        // SAFETY: the first `count` bytes were written, and the other memory is larger.
        unsafe larger.copyMemory(from: memory, byteCount: count)
        unsafe memory.deallocate()
        unsafe memory = larger
    }

    // MARK: Fields

    /// - Parameter number: number of the field, below 16.
    mutating func varint(_ number: UInt8, _ value: UInt64) {
        // SAFETY: space for one byte and the largest number.
        let place = unsafe place(for: 1 &+ Self.largestVarint)
        unsafe place.put(number &<< 3, at: 0)
        count &+= 1 &+ (unsafe place.put(varint: value, at: 1))
    }

    mutating func fixed64(_ number: UInt8, _ value: UInt64) {
        // SAFETY: space for nine bytes.
        let place = unsafe place(for: 9)
        unsafe place.put(number &<< 3 | 1, at: 0)
        unsafe place.put(value.littleEndian, at: 1)
        count &+= 9
    }

    /// Appends a span's identifier: eight bytes, the first one first.
    mutating func identifier(_ number: UInt8, _ word: UInt64) {
        // SAFETY: space for ten bytes.
        let place = unsafe place(for: 10)
        unsafe place.put(number &<< 3 | 2, at: 0)
        unsafe place.put(8 as UInt8, at: 1)
        unsafe place.put(word.bigEndian, at: 2)
        count &+= 10
    }

    /// Appends a trace's identifier: sixteen bytes, the first one first.
    mutating func identifier(_ number: UInt8, _ high: UInt64, _ low: UInt64) {
        // SAFETY: space for eighteen bytes.
        let place = unsafe place(for: 18)
        unsafe place.put(number &<< 3 | 2, at: 0)
        unsafe place.put(16 as UInt8, at: 1)
        unsafe place.put(high.bigEndian, at: 2)
        unsafe place.put(low.bigEndian, at: 10)
        count &+= 18
    }

    /// Appends bytes as a field.
    mutating func bytes(_ number: UInt8, _ value: Span<UInt8>) {
        begin(number, size: value.count)
        append(value)
    }

    /// Appends two texts with a space between them as a field.
    mutating func text(_ number: UInt8, _ first: Span<UInt8>, _ second: Span<UInt8>) {
        begin(number, size: first.count &+ 1 &+ second.count)
        append(first)
        append(UInt8(ascii: " "))
        append(second)
    }

    /// Begins a field whose bytes follow.
    @inline(__always)
    private mutating func begin(_ number: UInt8, size: Int) {
        // SAFETY: space for one byte and the largest number.
        let place = unsafe place(for: 1 &+ Self.largestVarint)
        unsafe place.put(number &<< 3 | 2, at: 0)
        count &+= 1 &+ (unsafe place.put(varint: UInt64(size), at: 1))
    }

    @inline(__always)
    private mutating func append(_ byte: UInt8) {
        // SAFETY: space for one byte.
        unsafe place(for: 1).put(byte, at: 0)
        count &+= 1
    }

    @inline(__always)
    private mutating func append(_ value: Span<UInt8>) {
        // SAFETY: space for all of them.
        _ = unsafe place(for: value.count).put(value, at: 0)
        count &+= value.count
    }

    private static func varintSize(_ value: Int) -> Int {
        value < 0x80 ? 1 : value < 0x4000 ? 2 : (UInt64.bitWidth &- UInt64(value).leadingZeroBitCount &+ 6) / 7
    }

    // MARK: Attributes

    /// Appends an attribute with a text: a `KeyValue` whose `AnyValue` has it.
    ///
    /// - Parameter tag: first byte of the field that holds attributes.
    /// - Returns: true if the text is ASCII.
    mutating func attribute(_ tag: UInt8, _ name: SpanAttribute, _ text: Span<UInt8>) -> Bool {
        let keySize = keys.size(of: name)
        guard text.count < Self.shortText else { return longAttribute(tag, name, text) }
        // SAFETY: space for the key, the text, and six bytes of tags and lengths.
        let place = unsafe place(for: AttributeKeys.longest &+ Self.shortText &+ 6)
        unsafe place.put(tag, at: 0)
        // Each length is below 128.
        unsafe place.put(UInt8(truncatingIfNeeded: keySize &+ 3 &+ text.count), at: 1)
        unsafe keys.put(name, to: place.advanced(by: 2))
        let value = unsafe place.advanced(by: 2 &+ keySize)
        unsafe value.put(UInt8(truncatingIfNeeded: 2 &+ text.count), at: 0)
        unsafe value.put(Self.stringTag, at: 1)
        unsafe value.put(UInt8(truncatingIfNeeded: text.count), at: 2)
        let seen = unsafe value.put(text, at: 3)
        count &+= 5 &+ keySize &+ text.count
        return Self.isASCII(seen)
    }

    /// Texts below this length, in bytes, are written with lengths of one byte.
    private static let shortText = 64

    /// True if a bitwise or of words has bytes of ASCII alone.
    @inline(__always)
    private static func isASCII(_ words: UInt64) -> Bool { words & 0x8080_8080_8080_8080 == 0 }

    @inline(never)
    private mutating func longAttribute(_ tag: UInt8, _ name: SpanAttribute, _ text: Span<UInt8>) -> Bool {
        let keySize = keys.size(of: name)
        let value = 1 &+ Self.varintSize(text.count) &+ text.count
        let length = keySize &+ Self.varintSize(value) &+ value
        // SAFETY: space for the key, the text, two bytes of tags and three numbers.
        let place = unsafe place(for: AttributeKeys.longest &+ 3 &* Self.largestVarint &+ 2 &+ text.count)
        unsafe place.put(tag, at: 0)
        var end = 1
        end &+= unsafe place.put(varint: UInt64(length), at: end)
        unsafe keys.put(name, to: place.advanced(by: end))
        end &+= keySize
        end &+= unsafe place.put(varint: UInt64(value), at: end)
        unsafe place.put(Self.stringTag, at: end)
        end &+= 1
        end &+= unsafe place.put(varint: UInt64(text.count), at: end)
        let seen = unsafe place.put(text, at: end)
        count &+= end &+ text.count
        return Self.isASCII(seen)
    }

    /// Appends an attribute with a number.
    mutating func attribute(_ tag: UInt8, _ name: SpanAttribute, number: Int) {
        let keySize = keys.size(of: name)
        // SAFETY: space for the key, four bytes of tags and lengths, and the number.
        let place = unsafe place(for: AttributeKeys.longest &+ 4 &+ Self.largestVarint)
        unsafe place.put(tag, at: 0)
        unsafe keys.put(name, to: place.advanced(by: 2))
        let value = unsafe place.advanced(by: 2 &+ keySize)
        unsafe value.put(Self.intTag, at: 1)
        let size = unsafe value.put(varint: UInt64(bitPattern: Int64(number)), at: 2)
        // Both lengths are below 128: the key has at most 48 bytes.
        unsafe value.put(UInt8(truncatingIfNeeded: 1 &+ size), at: 0)
        unsafe place.put(UInt8(truncatingIfNeeded: keySize &+ 2 &+ size), at: 1)
        count &+= 4 &+ keySize &+ size
    }

    /// `string_value` and `int_value` in `AnyValue`.
    private static let stringTag: UInt8 = 1 << 3 | 2
    private static let intTag: UInt8 = 3 << 3

    // MARK: Messages

    /// Begins a message within this one.
    ///
    /// - Returns: offset of its first byte, for ``endMessage(_:)``.
    mutating func beginMessage(_ number: UInt8) -> Int {
        // SAFETY: space for one byte.
        unsafe place(for: 1 &+ Self.lengthSize).put(number &<< 3 | 2, at: 0)
        count &+= 1 &+ Self.lengthSize
        return count
    }

    /// Ends a message: writes its length, with as many bytes as were left for it.
    mutating func endMessage(_ start: Int) {
        guard start >= Self.lengthSize, start <= count else { return }
        let length = count &- start
        // SAFETY: within what was written, by the check.
        let place = unsafe memory.advanced(by: start &- Self.lengthSize)
        unsafe place.put(UInt8(truncatingIfNeeded: length) | 0x80, at: 0)
        unsafe place.put(UInt8(truncatingIfNeeded: length &>> 7) | 0x80, at: 1)
        unsafe place.put(UInt8(truncatingIfNeeded: length &>> 14) & 0x7F, at: 2)
    }
}

// None of these checks that the bytes fit.
extension UnsafeMutableRawPointer {
    @unsafe
    @inline(__always)
    fileprivate func put<Number: FixedWidthInteger & BitwiseCopyable>(_ number: Number, at offset: Int) {
        unsafe storeBytes(of: number, toByteOffset: offset, as: Number.self)
    }

    /// - Returns: size of the number, in bytes.
    @unsafe
    @inline(__always)
    fileprivate func put(varint value: UInt64, at offset: Int) -> Int {
        var (rest, end) = (value, offset)
        while rest >= 0x80 {
            unsafe put(UInt8(truncatingIfNeeded: rest) | 0x80, at: end)
            rest &>>= 7
            end &+= 1
        }
        unsafe put(UInt8(truncatingIfNeeded: rest), at: end)
        return end &+ 1 &- offset
    }

    /// Copies bytes in words: most are too few for a call of `memcpy`.
    ///
    /// - Returns: bitwise or of all words.
    @unsafe
    @inline(__always)
    fileprivate func put(_ bytes: Span<UInt8>, at offset: Int) -> UInt64 {
        unsafe bytes.withUnsafeBytes { source in
            var seen: UInt64 = 0
            // The last word overlaps the one before.
            if source.count >= 8 {
                for start in stride(from: 0, to: source.count &- 8, by: 8) {
                    seen |= unsafe copy(UInt64.self, source, start, to: offset)
                }
                return unsafe seen | copy(UInt64.self, source, source.count &- 8, to: offset)
            }
            if source.count >= 4 {
                seen = unsafe UInt64(copy(UInt32.self, source, 0, to: offset))
                return unsafe seen | UInt64(copy(UInt32.self, source, source.count &- 4, to: offset))
            }
            for start in 0..<source.count { seen |= unsafe UInt64(copy(UInt8.self, source, start, to: offset)) }
            return seen
        }
    }

    @unsafe
    @inline(__always)
    private func copy<Word: FixedWidthInteger & BitwiseCopyable>(
        _ type: Word.Type, _ source: UnsafeRawBufferPointer, _ start: Int, to offset: Int
    ) -> Word {
        let word = unsafe source.loadUnaligned(fromByteOffset: start, as: type)
        unsafe put(word, at: offset &+ start)
        return word
    }
}
