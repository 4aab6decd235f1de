/// Writer of protobuf fields into a list of bytes.
///
/// The event loops write spans with it: building the same messages with the library costs many times as much.
struct ProtobufBytes: Sendable {
    private(set) var bytes: [UInt8] = []

    /// Number of bytes of each message's length. It is written before the message is, so it has a fixed size.
    private static let lengthSize = 3
    var count: Int { bytes.count }

    /// Takes out what was written.
    mutating func take() -> [UInt8] {
        let taken = bytes
        bytes = []
        return taken
    }

    mutating func reserveCapacity(_ size: Int) { bytes.reserveCapacity(size) }

    mutating func append(_ byte: UInt8) { bytes.append(byte) }

    mutating func append(_ prepared: [UInt8]) { bytes.append(contentsOf: prepared) }

    /// - Parameter number: number of the field, below 16.
    mutating func varint(_ number: UInt8, _ value: UInt64) {
        bytes.append(number &<< 3)
        varint(value)
    }

    mutating func fixed64(_ number: UInt8, _ value: UInt64) {
        bytes.append(number &<< 3 | 1)
        bigEndian(value.byteSwapped)
    }

    /// Appends bytes that are known to be short: fewer than 128.
    mutating func shortBytes(_ number: UInt8, _ value: Span<UInt8>) {
        bytes.append(number &<< 3 | 2)
        bytes.append(UInt8(truncatingIfNeeded: value.count))
        append(value)
    }

    /// Appends a span's identifier: eight bytes, the first one first.
    mutating func identifier(_ number: UInt8, _ word: UInt64) {
        bytes.append(number &<< 3 | 2)
        bytes.append(8)
        bigEndian(word)
    }

    /// Appends a trace's identifier: sixteen bytes, the first one first.
    mutating func identifier(_ number: UInt8, _ high: UInt64, _ low: UInt64) {
        bytes.append(number &<< 3 | 2)
        bytes.append(16)
        bigEndian(high)
        bigEndian(low)
    }

    mutating func length(_ length: Int) { varint(UInt64(length)) }

    mutating func append(_ value: Span<UInt8>) {
        unsafe value.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }

    mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest &>>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    private mutating func bigEndian(_ word: UInt64) {
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: word &>> shift))
        }
    }

    static func varintSize(_ value: Int) -> Int {
        value < 0x80 ? 1 : value < 0x4000 ? 2 : (UInt64.bitWidth &- UInt64(value).leadingZeroBitCount &+ 6) / 7
    }

    // MARK: Messages

    /// Begins a message within this one.
    ///
    /// - Returns: offset of its first byte, for ``endMessage(_:)``.
    mutating func beginMessage(_ number: UInt8) -> Int {
        bytes.append(number &<< 3 | 2)
        for _ in 0..<Self.lengthSize { bytes.append(0) }
        return bytes.count
    }

    /// Ends a message: writes its length, with as many bytes as were left for it.
    mutating func endMessage(_ start: Int) {
        let length = bytes.count &- start
        // in bounds: `beginMessage` appended these bytes
        bytes[start &- 3] = UInt8(truncatingIfNeeded: length) | 0x80
        bytes[start &- 2] = UInt8(truncatingIfNeeded: length &>> 7) | 0x80
        bytes[start &- 1] = UInt8(truncatingIfNeeded: length &>> 14) & 0x7F
    }
}
