/// A field name prepared for comparisons with the names that peers send.
public struct FieldName: Hashable, Sendable {
    /// The name as it was written.
    public let spelling: [UInt8]

    /// The name in lower case: what equal names have in common (RFC 9110 §5.1).
    public let lowercased: [UInt8]

    /// The name in lower case, every character that is no letter or digit as `-`: what names have in common that a
    /// lax reader takes for each other.
    public let folded: [UInt8]

    /// The hash of `folded`, as in `HeaderField.nameHash`.
    public let hash: UInt32

    /// Returns nil unless the name is a token (RFC 9110 §5.6.2).
    public init?(_ name: String) {
        let spelling = Array(name.utf8)
        guard !spelling.isEmpty, spelling.allSatisfy(ASCII.isToken) else { return nil }
        self.init(spelling: spelling)
    }

    public init(_ known: KnownField) {
        self.init(fixed: known.name)
    }

    /// A name that the program fixes, which is a token.
    public init(fixed name: StaticString) {
        self.init(spelling: Array("\(name)".utf8))
    }

    private init(spelling: [UInt8]) {
        self.spelling = spelling
        lowercased = spelling.map(ASCII.lowercased)
        folded = spelling.map(ASCII.folded)
        hash = FieldNameHash.of(spelling.span)
    }

    /// Whether the bytes are this name, in any case.
    public func matches(_ name: Span<UInt8>) -> Bool {
        guard name.count == lowercased.count else { return false }
        for index in name.indices where ASCII.lowercased(name[index]) != lowercased[index] { return false }
        return true
    }

    /// Whether the bytes are this name or one that a lax reader takes for it: any case, and any character that is no
    /// letter or digit for any other.
    public func resembles(_ name: Span<UInt8>) -> Bool {
        guard name.count == folded.count else { return false }
        for index in name.indices where ASCII.folded(name[index]) != folded[index] { return false }
        return true
    }

    public static func == (left: FieldName, right: FieldName) -> Bool { left.lowercased == right.lowercased }

    public func hash(into hasher: inout Hasher) { hasher.combine(lowercased) }
}

/// The running hash over a folded field name; a filter before the bytes are compared, and nothing more.
///
/// Anyone can make names that collide. That costs comparisons, whose number the limits bound.
struct FieldNameHash {
    private var state: UInt32 = 0

    /// The hash of a whole name.
    @inline(__always)
    static func of(_ name: Span<UInt8>) -> UInt32 {
        var hash = FieldNameHash()
        for index in name.indices { hash.combine(ASCII.folded(name[index])) }
        return hash.value
    }

    /// Takes one byte of the folded name.
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
