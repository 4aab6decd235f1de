import ByteWords
import CJansson

/// A value inside a ``JSONDocument``: a reference into its tree, not a copy.
@safe public struct JSONValue: @unchecked Sendable {
    // SAFETY: `node` is part of `document`'s immutable tree, which lives as long as this reference to it.
    private let document: JSONDocument
    private let node: UnsafeMutablePointer<json_t>

    @unsafe init(document: JSONDocument, node: UnsafeMutablePointer<json_t>) {
        self.document = document
        unsafe self.node = node
    }

    public enum Kind: Sendable, Hashable {
        case null, boolean, integer, real, string, array, object
    }

    public var kind: Kind {
        switch unsafe node.pointee.type {
        case JSON_OBJECT: .object
        case JSON_ARRAY: .array
        case JSON_STRING: .string
        case JSON_INTEGER: unsafe document.oddInteger(at: node) == nil ? .integer : .real
        case JSON_REAL: .real
        case JSON_TRUE, JSON_FALSE: .boolean
        default: .null
        }
    }

    public var isNull: Bool { kind == .null }

    public var boolean: Bool? {
        switch unsafe node.pointee.type {
        case JSON_TRUE: true
        case JSON_FALSE: false
        default: nil
        }
    }

    /// The number, if it is written without fraction and exponent, fits into 64 bits and is not `-0`. Nil for any other
    /// value.
    public var integer: Int64? {
        kind == .integer ? unsafe Int64(json_integer_value(node)) : nil
    }

    /// The number as a finite real, however it is written. Integers beyond 2^53 are rounded. Those beyond 64 bits are
    /// approximate, not even rounded to the nearest real. Nil if the value is not a number.
    public var real: Double? {
        switch kind {
        case .integer: unsafe Double(json_integer_value(node))
        case .real: unsafe json_number_value(node)
        default: nil
        }
    }

    /// The digits of an integer that `Int64` cannot represent: beyond 64 bits, or `-0`. The kind of that number is
    /// `real`. Nil for any other value.
    public var oddInteger: [UInt8]? {
        unsafe document.oddInteger(at: node)
    }

    /// True for an integer beyond 64 bits. Then ``real`` is only its approximate size.
    public var isBeyondInteger: Bool {
        oddInteger.map { $0.count >= OddIntegers.fewestDigits } ?? false
    }
}

// MARK: - Strings

extension JSONValue {
    public var string: String? {
        withStringBytes { bytes in String(copying: bytes) }
    }

    /// Calls `body` with the string's unescaped UTF-8 bytes. Nil if the value is not a string.
    public func withStringBytes<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard kind == .string, let start = unsafe json_string_value(node) else { return nil }
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: json_string_length(node))
        defer { withExtendedLifetime(document) {} }
        return try unsafe body(Span(_unsafeBytes: bytes))
    }

    /// True if the value is a string of exactly these bytes. Nothing is allocated or normalised.
    public func isString(equalTo bytes: Span<UInt8>) -> Bool {
        withStringBytes { own in own.equals(bytes) } ?? false
    }

    public func isString(equalTo bytes: [UInt8]) -> Bool {
        isString(equalTo: bytes.span)
    }

    public func isString(equalTo text: String) -> Bool {
        isString(equalTo: text.utf8.span)
    }

    public func isString(equalTo text: StaticString) -> Bool {
        text.withSpan { bytes in isString(equalTo: bytes) }
    }
}

// MARK: - Arrays and objects

extension JSONValue {
    /// Number of elements in an array or members in an object. Zero for other kinds.
    public var count: Int {
        switch kind {
        case .array: unsafe json_array_size(node)
        case .object: unsafe json_object_size(node)
        default: 0
        }
    }

    /// The member with this name. Nil if there is none, or if the value is not an object.
    public subscript(_ member: String) -> JSONValue? {
        self.member(named: member.utf8.span)
    }

    /// The member with this name. Nil if there is none, or if the value is not an object. Allocates nothing.
    public subscript(member name: StaticString) -> JSONValue? {
        name.withSpan { bytes in member(named: bytes) }
    }

    /// The element at this index. Nil if there is none, or if the value is not an array.
    public subscript(index index: Int) -> JSONValue? {
        guard index >= 0, let found = unsafe json_array_get(node, index) else { return nil }
        return unsafe JSONValue(document: document, node: found)
    }

    private func member(named name: Span<UInt8>) -> JSONValue? {
        let found = unsafe name.withUnsafeBytes { raw in
            // An empty name may have no address, and Jansson does not accept a null pointer.
            guard let start = raw.baseAddress else { return unsafe json_object_getn(node, "", 0) }
            return unsafe json_object_getn(node, start.assumingMemoryBound(to: CChar.self), raw.count)
        }
        guard let found = unsafe found else { return nil }
        return unsafe JSONValue(document: document, node: found)
    }

    /// The array's elements in order. Empty for other kinds.
    public var elements: JSONElements {
        JSONElements(array: self)
    }

    /// The object's members in the order of the text. Empty for other kinds.
    public var members: JSONMembers {
        unsafe JSONMembers(document: document, node: node)
    }
}
