/// All literal edges of a trie in one open-addressed hash table: (node, bytes) to node.
///
/// Built once, then only read. At most half of the slots are used, so a lookup inspects one or two of them, however
/// many edges there are.
struct EdgeTable: Sendable {
    private struct Slot: Sendable {
        var hash: UInt64 = 0
        var node: Int32 = 0
        var target: Int32 = EdgeTable.none
        var start = 0
        var end = 0
    }

    private static let none: Int32 = -1

    private var slots = [Slot](repeating: Slot(), count: 16)
    private var literals: [UInt8] = []
    private let secret = KeyedHash.secret
    private(set) var count = 0

    /// The node that an edge leads to. Nil if there is no such edge.
    func target(from node: Int32, over bytes: Span<UInt8>, hash: UInt64) -> Int32? {
        let mask = slots.count &- 1
        var index = Int(truncatingIfNeeded: KeyedHash.combine(hash, scope: node)) & mask
        while slots[index].target != Self.none {
            if slots[index].hash == hash, slots[index].node == node, isLiteral(at: index, bytes) {
                return slots[index].target
            }
            index = (index &+ 1) & mask
        }
        return nil
    }

    func target(from node: Int32, over bytes: Span<UInt8>) -> Int32? {
        target(from: node, over: bytes, hash: KeyedHash.hash(bytes, secret: secret))
    }

    private func isLiteral(at index: Int, _ bytes: Span<UInt8>) -> Bool {
        // in bounds: an index that was looked up
        let start = slots[index].start
        guard slots[index].end &- start == bytes.count else { return false }
        for offset in bytes.indices where literals[start &+ offset] != bytes[offset] { return false }
        return true
    }

    // MARK: Building

    /// Adds an edge that does not exist yet.
    mutating func insert(from node: Int32, over bytes: [UInt8], to target: Int32) {
        if count &* 2 >= slots.count { grow() }
        let start = literals.count
        literals.append(contentsOf: bytes)
        let hash = KeyedHash.hash(bytes.span, secret: secret)
        place(Slot(hash: hash, node: node, target: target, start: start, end: literals.count))
        count &+= 1
    }

    private mutating func grow() {
        let old = slots
        slots = [Slot](repeating: Slot(), count: old.count &* 2)
        for slot in old where slot.target != Self.none { place(slot) }
    }

    private mutating func place(_ slot: Slot) {
        let mask = slots.count &- 1
        var index = Int(truncatingIfNeeded: KeyedHash.combine(slot.hash, scope: slot.node)) & mask
        while slots[index].target != Self.none { index = (index &+ 1) & mask }
        slots[index] = slot
    }
}
