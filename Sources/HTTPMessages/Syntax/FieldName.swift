import NetworkNames

/// A field name prepared for comparisons with the names that peers send.
public struct FieldName: Hashable, Sendable {
    /// The name in its original spelling.
    public let spelling: [UInt8]

    /// The name in lower case. It is the same for names that are equal (RFC 9110 §5.1).
    public let lowercased: [UInt8]

    /// The name in lower case, with `-` for every character except letters and digits. It is the same for names that a
    /// lax reader confuses.
    public let folded: [UInt8]

    /// The hash of `folded`, as in `HeaderField.nameHash`.
    public let hash: UInt32

    /// Prepares a field name. Nil unless it is a token (RFC 9110 §5.6.2).
    public init?(_ name: String) {
        let spelling = Array(name.utf8)
        guard !spelling.isEmpty, spelling.allSatisfy(ASCII.isToken) else { return nil }
        self.init(spelling: spelling)
    }

    public init(_ known: KnownField) {
        self.init(fixed: known.name)
    }

    /// Makes a name from a literal in the program. Not checked: that it is a token.
    public init(fixed name: StaticString) {
        self.init(spelling: Array("\(name)".utf8))
    }

    private init(spelling: [UInt8]) {
        self.spelling = spelling
        lowercased = spelling.map(ASCII.lowercased)
        folded = spelling.map(ASCII.folded)
        hash = FieldNameHash.of(spelling.span)
    }

    /// True if the bytes are this name, ignoring case.
    public func matches(_ name: Span<UInt8>) -> Bool {
        guard name.count == lowercased.count else { return false }
        for index in name.indices where ASCII.lowercased(name[index]) != lowercased[index] { return false }
        return true
    }

    /// True if a lax reader could take the bytes for this name: case is ignored, and all characters except letters and
    /// digits are equal.
    public func resembles(_ name: Span<UInt8>) -> Bool {
        guard name.count == folded.count else { return false }
        for index in name.indices where ASCII.folded(name[index]) != folded[index] { return false }
        return true
    }

    public static func == (left: FieldName, right: FieldName) -> Bool { left.lowercased == right.lowercased }

    public func hash(into hasher: inout Hasher) { hasher.combine(lowercased) }
}

/// Running hash of a folded field name. It is only a filter before the bytes are compared.
///
/// Anyone can construct names that collide. Collisions only cost comparisons, and the limits bound their number.
struct FieldNameHash {
    private var state: UInt32 = 0

    /// The hash of a whole name.
    @inline(__always)
    static func of(_ name: Span<UInt8>) -> UInt32 {
        var hash = FieldNameHash()
        for index in name.indices { hash.combine(ASCII.folded(name[index])) }
        return hash.value
    }

    /// Adds one byte of the folded name.
    @inline(__always)
    mutating func combine(_ folded: UInt8) {
        state = (state &<< 5 | state &>> 27) ^ UInt32(truncatingIfNeeded: folded)
    }

    @inline(__always)
    var value: UInt32 {
        let mixed = state &* 0x9E37_79B1
        return mixed ^ (mixed &>> 15)
    }
}
