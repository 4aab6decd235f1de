/// Finds a field name in `ProxyField.names` by its first three bytes, then by the rest.
///
/// Nearly no name of an ordinary request begins like one of them, so that most cost a look into one slot.
struct ProxyFieldTable: Sendable {
    static let standard = ProxyFieldTable(ProxyField.names)

    private struct Entry: Sendable {
        /// Where the name is in `letters` and `folded`, without the `*`.
        let range: Range<Int>
        let isPrefix: Bool
    }

    private struct Slot: Sendable {
        /// Zero in an empty slot.
        var key: UInt32 = 0
        var entries: Range<Int> = 0..<0
    }

    /// How many bytes the key has; no name is shorter.
    private static let keyLength = 3

    /// The names in lower case, and the same with every character that is no letter or digit as a hyphen.
    private var letters: [UInt8] = []
    private var folded: [UInt8] = []
    /// Those with the same key beside each other.
    private var entries: [Entry] = []
    private var slots = [Slot](repeating: Slot(), count: 256)

    /// - Parameter names: a `*` at the end of one covers every name that begins so.
    init(_ names: [String]) {
        for (key, names) in Dictionary(grouping: names, by: { Self.key(Array($0.utf8).span) }) {
            var index = Self.slot(key)
            while slots[index].key != 0 { index = (index &+ 1) & 0xFF }
            slots[index] = Slot(key: key, entries: entries.count..<entries.count &+ names.count)
            for name in names { append(name) }
        }
    }

    private mutating func append(_ name: String) {
        let isPrefix = name.hasSuffix("*")
        let bytes = name.utf8.dropLast(isPrefix ? 1 : 0)
        entries.append(Entry(range: letters.count..<letters.count &+ bytes.count, isPrefix: isPrefix))
        letters.append(contentsOf: bytes.map(ASCII.lowercased))
        folded.append(contentsOf: bytes.map(ASCII.folded))
    }

    /// How a name is written that is one of these; nil for any other.
    func entry(_ name: Span<UInt8>) -> ProxyField? {
        guard name.count >= Self.keyLength else { return nil }
        let key = Self.key(name)
        var index = Self.slot(key)
        // Not all slots are taken, so that this ends.
        while slots[index].key != key {
            guard slots[index].key != 0 else { return nil }
            index = (index &+ 1) & 0xFF
        }
        var found: ProxyField?
        for index in slots[index].entries {
            switch match(name, entries[index]) {
            case .name: return .name
            case .lookAlike: found = .lookAlike
            case nil: continue
            }
        }
        return found
    }

    private func match(_ name: Span<UInt8>, _ entry: Entry) -> ProxyField? {
        let (start, count) = (entry.range.lowerBound, entry.range.count)
        guard entry.isPrefix ? name.count >= count : name.count == count else { return nil }
        var isLookAlike = false
        for index in 0..<count {
            guard ASCII.folded(name[index]) == folded[start &+ index] else { return nil }
            isLookAlike = isLookAlike || ASCII.lowercased(name[index]) != letters[start &+ index]
        }
        return isLookAlike ? .lookAlike : .name
    }

    /// The first bytes, folded; never zero.
    @inline(__always)
    private static func key(_ name: Span<UInt8>) -> UInt32 {
        // in bounds: whoever calls has asked for the length, and a test for that of the table's names
        UInt32(ASCII.folded(name[0])) &<< 16 | UInt32(ASCII.folded(name[1])) &<< 8 | UInt32(ASCII.folded(name[2]))
    }

    @inline(__always)
    private static func slot(_ key: UInt32) -> Int { Int((key &* 0x9E37_79B1) &>> 24) }
}
