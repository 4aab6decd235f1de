/// Judges the outline of a JSON text (top level, nesting, members per object, U+0000) in one pass, before a parser
/// allocates for it.
///
/// Knows strings and brackets only; whether the text is JSON is for the parser to decide.
struct StructureScan {
    /// Whether the text may have a null outside of strings; if not, nobody need look for one.
    private(set) var mayHaveNull = false
    /// The same of integers that no `Int64` tells.
    private(set) var mayHaveOddIntegers = false

    private let limits: JSONLimits
    private var depth = 0
    /// Digits since the last bracket or comma; as many as the longest `Int64` has may be more than one holds.
    private var digits = 0
    /// For each open container: the members begun if it is an object, zero if it is an array.
    private var members = InlineArray<64, Int>(repeating: 0)
    private var isInString = false
    private var isEscaped = false

    private init(limits: JSONLimits) {
        self.limits = limits
    }

    /// The outline of a text that is within the limits.
    init(checking bytes: Span<UInt8>, limits: JSONLimits) throws(JSONRejection) {
        guard bytes.count <= limits.bytes else { throw .tooLarge }
        try Self.checkBeginning(of: bytes)
        self.init(limits: limits)
        for index in bytes.indices {
            try take(bytes[index])
        }
    }

    /// The byte for which the outline of a text is refused, 0 if that is how it begins or how long it is; nil if it is
    /// not refused.
    static func indexOfFault(in bytes: Span<UInt8>, limits: JSONLimits) -> Int? {
        guard bytes.count <= limits.bytes, (try? checkBeginning(of: bytes)) != nil else { return 0 }
        var scan = StructureScan(limits: limits)
        for index in bytes.indices {
            guard (try? scan.take(bytes[index])) != nil else { return index }
        }
        return nil
    }

    private static func checkBeginning(of bytes: Span<UInt8>) throws(JSONRejection) {
        if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { throw .byteOrderMark }
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): return
            case 0: throw .nullCharacter
            default: throw .notObjectOrArray
            }
        }
        throw .empty
    }

    @inline(__always)
    private mutating func take(_ byte: UInt8) throws(JSONRejection) {
        if byte == 0 { throw .nullCharacter }
        if isInString {
            takeInString(byte)
        } else {
            try takeBetweenStrings(byte)
        }
    }

    @inline(__always)
    private mutating func takeInString(_ byte: UInt8) {
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            isInString = false
        }
    }

    @inline(__always)
    private mutating func takeBetweenStrings(_ byte: UInt8) throws(JSONRejection) {
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"): try open(members: 1)
        case UInt8(ascii: "["): try open(members: 0)
        case UInt8(ascii: "}"), UInt8(ascii: "]"): depth = max(0, depth &- 1)
        case UInt8(ascii: ","): try beginNextMember()
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            digits &+= 1
            if digits >= OddIntegers.fewestDigits { mayHaveOddIntegers = true }
        case UInt8(ascii: "-"): mayHaveOddIntegers = true
        case UInt8(ascii: "n"): mayHaveNull = true
        default: break
        }
    }

    private mutating func open(members count: Int) throws(JSONRejection) {
        guard depth < min(limits.depth, JSONLimits.greatestDepth) else { throw .tooDeep }
        digits = 0
        members[depth] = count
        depth &+= 1
    }

    private mutating func beginNextMember() throws(JSONRejection) {
        digits = 0
        guard depth > 0, members[depth &- 1] > 0 else { return }
        members[depth &- 1] &+= 1
        guard members[depth &- 1] <= limits.members else { throw .tooManyMembers }
    }
}
