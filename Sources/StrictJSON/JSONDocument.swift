import CJansson

/// A complete, immutable parsed JSON text (RFC 8259).
///
/// It is stricter than the RFC wherever two readers could differ. Refused are repeated member names, U+0000, numbers
/// beyond the finite reals, a byte order mark, and anything after the value. The top level must be an object or an
/// array. An integer beyond 64 bits keeps its digits and is not equal to any other number.
@safe public final class JSONDocument: @unchecked Sendable {
    // SAFETY: the tree belongs to this object alone and is never changed after `init`; Jansson's readers are free of
    // side effects.
    private let tree: UnsafeMutablePointer<json_t>
    /// The digits of integers that `Int64` cannot represent, by the addresses of their nodes.
    private let oddIntegers: [UInt: [UInt8]]

    /// Parses the bytes. They are not retained.
    public init(parsing bytes: Span<UInt8>, limits: JSONLimits, reading: JSONReading = .asWritten) throws(JSONRejection)
    {
        let outline = try StructureScan(checking: bytes, limits: limits)
        let odd = outline.mayHaveOddIntegers ? OddIntegers(bytes) : OddIntegers()
        let parsed = try unsafe parseTree(bytes, odd)
        let texts = unsafe odd.texts(in: parsed, of: bytes)
        guard unsafe reading.apply(to: parsed, mayHaveNull: outline.mayHaveNull, except: texts) else {
            unsafe json_decref(parsed)
            throw .outOfMemory
        }
        unsafe tree = parsed
        oddIntegers = texts
    }

    /// Parses the bytes. They are not retained.
    public convenience init(parsing bytes: [UInt8], limits: JSONLimits, reading: JSONReading = .asWritten)
        throws(JSONRejection)
    {
        try self.init(parsing: bytes.span, limits: limits, reading: reading)
    }

    deinit {
        unsafe json_decref(tree)
    }

    /// The array or object at the top level.
    public var root: JSONValue {
        unsafe JSONValue(document: self, node: tree)
    }

    /// Number of bytes that the parser reads before it fails. All bytes if it accepts the text.
    static func countOfBytesRead(in bytes: Span<UInt8>) -> Int {
        var error = json_error_t()
        guard let tree = unsafe loadTree(bytes, OddIntegers(bytes), &error) else {
            return max(0, min(Int(error.position), bytes.count))
        }
        unsafe json_decref(tree)
        return bytes.count
    }

    /// The digits of an integer that `Int64` cannot represent. Nil for any other value.
    @unsafe func oddInteger(at node: UnsafeMutablePointer<json_t>) -> [UInt8]? {
        oddIntegers.isEmpty ? nil : oddIntegers[UInt(bitPattern: node)]
    }
}

private func parseTree(_ bytes: Span<UInt8>, _ odd: OddIntegers) throws(JSONRejection) -> UnsafeMutablePointer<json_t> {
    var error = json_error_t()
    guard let tree = unsafe loadTree(bytes, odd, &error) else { throw JSONRejection(error) }
    return unsafe tree
}

/// Parses the text with its odd integers replaced. Offsets in errors also hold for the original, because both texts
/// have the same length. Nil after an error, which is stored in `error`.
private func loadTree(_ bytes: Span<UInt8>, _ odd: OddIntegers, _ error: inout json_error_t) -> UnsafeMutablePointer<
    json_t
>? {
    unsafe odd.ranges.isEmpty ? loadTree(bytes, &error) : loadTree(odd.text.span, &error)
}

private func loadTree(_ bytes: Span<UInt8>, _ error: inout json_error_t) -> UnsafeMutablePointer<json_t>? {
    unsafe bytes.withUnsafeBytes { raw in
        unsafe json_loadb(raw.baseAddress, raw.count, Int(JSON_REJECT_DUPLICATES), &error)
    }
}

extension OddIntegers {
    /// The digits of the odd integers, by the addresses of their nodes in the parsed tree. `bytes` is the original
    /// text.
    @unsafe fileprivate func texts(in tree: UnsafeMutablePointer<json_t>, of bytes: Span<UInt8>) -> [UInt: [UInt8]] {
        guard !ranges.isEmpty else { return [:] }
        var texts: [UInt: [UInt8]] = [:]
        var number = 0
        unsafe forEachNumber(below: tree) { node in
            if let range = ranges[number] { texts[UInt(bitPattern: node)] = [UInt8](copying: bytes.extracting(range)) }
            number &+= 1
        }
        return texts
    }
}

/// Calls `body` with each number below a node, in the order of the text.
private func forEachNumber(below node: UnsafeMutablePointer<json_t>, _ body: (UnsafeMutablePointer<json_t>) -> Void) {
    switch unsafe node.pointee.type {
    case JSON_INTEGER, JSON_REAL: unsafe body(node)
    case JSON_ARRAY:
        for index in 0..<(unsafe json_array_size(node)) {
            guard let element = unsafe json_array_get(node, index) else { continue }
            unsafe forEachNumber(below: element, body)
        }
    case JSON_OBJECT:
        var position = unsafe json_object_iter(node)
        while let current = unsafe position {
            if let value = unsafe json_object_iter_value(current) { unsafe forEachNumber(below: value, body) }
            unsafe position = json_object_iter_next(node, current)
        }
    default: return
    }
}

extension JSONRejection {
    fileprivate init(_ error: json_error_t) {
        var error = error
        switch unsafe json_error_code(&error) {
        case json_error_out_of_memory: self = .outOfMemory
        case json_error_stack_overflow: self = .tooDeep
        case json_error_invalid_utf8: self = .notUTF8
        case json_error_null_character, json_error_null_byte_in_key: self = .nullCharacter
        case json_error_duplicate_key: self = .duplicateMember
        case json_error_numeric_overflow: self = .numberOutOfRange
        case json_error_end_of_input_expected: self = .trailingBytes
        default: self = .malformed(line: Int(error.line), column: Int(error.column))
        }
    }
}
