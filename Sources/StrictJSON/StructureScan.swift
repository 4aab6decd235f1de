import ByteWords

/// Checks the outline of a JSON text (top level, nesting, members per object, U+0000) in one pass, before a parser
/// allocates memory for it.
///
/// It only knows strings and brackets. The parser decides whether the text is JSON.
struct StructureScan {
    /// True if the text may have a null outside of strings.
    private(set) var mayHaveNull = false
    /// True if the text may have integers that `Int64` cannot represent.
    private(set) var mayHaveOddIntegers = false

    private let limits: JSONLimits
    private var depth = 0
    /// Number of digits since the last bracket or comma. From `OddIntegers.fewestDigits` on, an `Int64` may be too
    /// small.
    private var digits = 0
    /// Members begun in each open object, so at least one. Zero for an open array.
    private var members = InlineArray<64, Int>(repeating: 0)

    private init(limits: JSONLimits) {
        self.limits = limits
    }

    /// Scans the text. Throws if it exceeds the limits.
    init(checking bytes: Span<UInt8>, limits: JSONLimits) throws(JSONRejection) {
        self.init(limits: limits)
        if let fault = fault(in: bytes) { throw fault.rejection }
    }

    /// The index of the byte at which the outline is refused. 0 if the text is too long or begins wrongly. Nil if the
    /// outline is accepted.
    static func indexOfFault(in bytes: Span<UInt8>, limits: JSONLimits) -> Int? {
        var scan = StructureScan(limits: limits)
        return scan.fault(in: bytes)?.index
    }

    /// Reason why the outline is refused, and where. Nil if it is accepted.
    private mutating func fault(in bytes: Span<UInt8>) -> (rejection: JSONRejection, index: Int)? {
        var index = 0
        do throws(JSONRejection) {
            guard bytes.count <= limits.bytes else { throw .tooLarge }
            try Self.checkBeginning(of: bytes)
            while index < bytes.count {
                if bytes[index] == UInt8(ascii: "\"") {
                    let end = bytes.endOfString(from: index) ?? bytes.count
                    index = bytes.extracting(first: end).firstZero(from: index)
                    guard index == end else { throw .nullCharacter }
                } else {
                    try takeBetweenStrings(bytes[index])
                    index &+= 1
                }
            }
            return nil
        } catch {
            return (error, index)
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
    private mutating func takeBetweenStrings(_ byte: UInt8) throws(JSONRejection) {
        switch byte {
        case 0: throw .nullCharacter
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

extension Span<UInt8> {
    /// Index of the first zero byte from `start` on. The count of the bytes if there is none.
    fileprivate func firstZero(from start: Int) -> Int {
        firstOffset(from: start, filler: UInt8(ascii: " ")) { $0.equal(to: 0) }
    }
}
