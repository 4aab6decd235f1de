import CJansson

/// One parsed JSON text (RFC 8259), whole and immutable.
///
/// Stricter than the RFC wherever it lets two readers differ: no member named twice, no U+0000, no number that does not fit,
/// no byte order mark, nothing after the value, an object or an array at the top.
@safe public final class JSONDocument: @unchecked Sendable {
    // SAFETY: the tree belongs to this object alone and is never changed after `init`; Jansson's readers are free of side effects.
    private let tree: UnsafeMutablePointer<json_t>

    /// Parses the bytes, which are not kept.
    public init(parsing bytes: Span<UInt8>, limits: JSONLimits) throws(JSONRejection) {
        try StructureScan.check(bytes, limits: limits)
        unsafe tree = try parseTree(bytes)
    }

    /// Parses the bytes, which are not kept.
    public convenience init(parsing bytes: [UInt8], limits: JSONLimits) throws(JSONRejection) {
        try self.init(parsing: bytes.span, limits: limits)
    }

    deinit {
        unsafe json_decref(tree)
    }

    /// The array or object at the top level.
    public var root: JSONValue {
        unsafe JSONValue(document: self, node: tree)
    }
}

private func parseTree(_ bytes: Span<UInt8>) throws(JSONRejection) -> UnsafeMutablePointer<json_t> {
    var error = json_error_t()
    let tree = unsafe bytes.withUnsafeBytes { raw in
        unsafe json_loadb(raw.baseAddress, raw.count, Int(JSON_REJECT_DUPLICATES), &error)
    }
    guard let tree = unsafe tree else { throw JSONRejection(error) }
    return unsafe tree
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
