/// Judges the outline of a JSON text (top level, nesting, members per object, U+0000) in one pass, before a parser allocates for it.
///
/// Knows strings and brackets only; whether the text is JSON is for the parser to decide.
struct StructureScan {
    private let limits: JSONLimits
    private var depth = 0
    /// For each open container: the members begun if it is an object, zero if it is an array.
    private var members = InlineArray<64, Int>(repeating: 0)
    private var isInString = false
    private var isEscaped = false

    private init(limits: JSONLimits) {
        self.limits = limits
    }

    static func check(_ bytes: Span<UInt8>, limits: JSONLimits) throws(JSONRejection) {
        guard bytes.count <= limits.bytes else { throw .tooLarge }
        try checkBeginning(of: bytes)
        var scan = StructureScan(limits: limits)
        for index in bytes.indices {
            try scan.take(bytes[index])
        }
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
        default: break
        }
    }

    private mutating func open(members count: Int) throws(JSONRejection) {
        guard depth < min(limits.depth, JSONLimits.greatestDepth) else { throw .tooDeep }
        members[depth] = count
        depth &+= 1
    }

    private mutating func beginNextMember() throws(JSONRejection) {
        guard depth > 0, members[depth &- 1] > 0 else { return }
        members[depth &- 1] &+= 1
        guard members[depth &- 1] <= limits.members else { throw .tooManyMembers }
    }
}
