/// Keys of all attributes, as `KeyValue` has them: the key as a field, and the first byte of the value after it.
@safe
struct AttributeKeys: ~Copyable {
    /// ``slot`` bytes for each attribute: the length of its key, and the key.
    private let memory: UnsafeMutableRawPointer

    /// Bytes that are copied of each key. None is longer.
    static let longest = 48
    private static let slot = 1 &+ longest
    /// Without the tags and the length. A longer name would be cut.
    private static let longestName = longest &- 3

    init() {
        let names = SpanAttribute.allCases
        unsafe memory = .allocate(byteCount: names.count &* Self.slot, alignment: 1)
        for attribute in names {
            let name = Array(attribute.name.utf8.prefix(Self.longestName))
            let (size, length) = (UInt8(truncatingIfNeeded: name.count &+ 3), UInt8(truncatingIfNeeded: name.count))
            var slot = [size, Self.keyTag, length]
            slot.append(contentsOf: name)
            slot.append(Self.valueTag)
            slot.append(contentsOf: repeatElement(0, count: Self.slot &- slot.count))
            // SAFETY: one slot was allocated for each case, whose raw value is its number.
            unsafe memory.advanced(by: attribute.rawValue &* Self.slot).copyMemory(from: slot, byteCount: Self.slot)
        }
    }

    deinit { unsafe memory.deallocate() }

    /// `key` and `value` in `KeyValue`.
    private static let keyTag: UInt8 = 1 << 3 | 2
    private static let valueTag: UInt8 = 2 << 3 | 2

    /// Size of an attribute's key, in bytes.
    @inline(__always)
    func size(of attribute: SpanAttribute) -> Int {
        // SAFETY: as in `init()`.
        unsafe Int(memory.load(fromByteOffset: attribute.rawValue &* Self.slot, as: UInt8.self))
    }

    /// Copies ``longest`` bytes, of which the first are an attribute's key.
    ///
    /// Not checked: that they fit.
    @unsafe
    @inline(__always)
    func put(_ attribute: SpanAttribute, to target: UnsafeMutableRawPointer) {
        let key = unsafe memory.advanced(by: attribute.rawValue &* Self.slot &+ 1)
        for offset in stride(from: 0, to: Self.longest, by: 16) {
            let part = unsafe key.loadUnaligned(fromByteOffset: offset, as: SIMD16<UInt8>.self)
            unsafe target.storeBytes(of: part, toByteOffset: offset, as: SIMD16<UInt8>.self)
        }
    }
}
