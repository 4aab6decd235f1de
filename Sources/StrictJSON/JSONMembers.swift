import CJansson

/// The members of a JSON object, in the order of the text.
@safe public struct JSONMembers: Sequence, IteratorProtocol, @unchecked Sendable {
    // SAFETY: both pointers lead into `document`'s immutable tree, which lives as long as this reference to it.
    private let document: JSONDocument
    private let object: UnsafeMutablePointer<json_t>
    private var position: UnsafeMutableRawPointer?

    @unsafe init(document: JSONDocument, node: UnsafeMutablePointer<json_t>) {
        self.document = document
        unsafe object = node
        unsafe position = json_object_iter(node)
    }

    public mutating func next() -> JSONMember? {
        guard let current = unsafe position,
            let name = unsafe json_object_iter_key(current),
            let value = unsafe json_object_iter_value(current)
        else { return nil }
        let length = unsafe json_object_iter_key_len(current)
        unsafe position = json_object_iter_next(object, current)
        return unsafe JSONMember(document: document, name: name, length: length, node: value)
    }
}

/// A name and value in a JSON object.
@safe public struct JSONMember: @unchecked Sendable {
    // SAFETY: `start` leads into `document`'s immutable tree, which lives as long as this reference to it.
    private let document: JSONDocument
    private let start: UnsafePointer<CChar>
    private let length: Int
    public let value: JSONValue

    @unsafe init(document: JSONDocument, name: UnsafePointer<CChar>, length: Int, node: UnsafeMutablePointer<json_t>) {
        self.document = document
        unsafe start = name
        self.length = length
        unsafe value = JSONValue(document: document, node: node)
    }

    public var name: String {
        withNameBytes { bytes in String(copying: bytes) }
    }

    /// Calls `body` with the name's unescaped UTF-8 bytes.
    public func withNameBytes<Result, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Result) throws(Failure)
        -> Result
    {
        defer { withExtendedLifetime(document) {} }
        return try unsafe body(Span(_unsafeBytes: UnsafeRawBufferPointer(start: start, count: length)))
    }
}
