import NetworkNames

/// Reads the field lines of a head into a header section, within the limits.
struct FieldSectionReader {
    private(set) var lines = LineReader()
    private let message: Message

    /// The kind of message that the lines belong to.
    enum Message {
        /// A request, in which the fields that the gateway reads must be ASCII.
        case request
        case response
    }

    init(of message: Message) { self.message = message }

    /// Reads field lines. Returns true after the blank line; after false, call again with these bytes and more after
    /// them.
    mutating func read(
        _ bytes: Span<UInt8>,
        limits: HeadLimits,
        into section: inout HeaderSection
    ) throws(FieldRejection) -> Bool {
        let table = KnownFieldTable.standard
        while true {
            let length = lines.scan(bytes)
            try check(length, limits: limits, in: bytes)
            guard let line = try lines.finishLine(in: bytes) else { return false }
            if line.range.isEmpty { return true }
            guard section.fields.count < limits.fields else { throw .tooManyFields }
            let field = try FieldLine.parse(line.range, in: bytes, table: table)
            let (name, value) = (bytes.extracting(field.name), bytes.extracting(field.value))
            try limits.check(field, name: name, value: value)
            if message == .request, line.hasObsText { try limits.checkObsText(field, name: name, value: value) }
            try section.admit(field, in: bytes)
        }
    }

    /// Reads a first line (request line or status line). Its length is compared with the limit before its last byte is
    /// checked.
    mutating func firstLine(in bytes: Span<UInt8>, limit: Int) throws(FieldRejection) -> FirstLine {
        guard lines.scan(bytes) <= limit else { return .tooLong }
        guard let line = try lines.finishLine(in: bytes) else { return .unfinished }
        return .finished(line.range)
    }

    enum FirstLine {
        case unfinished
        case tooLong
        case finished(Range<Int>)
    }

    /// Refuses a line, complete or not, whose length exceeds every limit, however much white space it has.
    private func check(_ length: Int, limits: HeadLimits, in bytes: Span<UInt8>) throws(FieldRejection) {
        guard length > limits.shortLine else { return }
        try limits.check(
            lineLength: length, carriesToken: isAuthorization(in: bytes) || isTokenField(in: bytes, limits))
    }

    /// True if the current line is a configured token field, other than `Authorization`.
    private func isTokenField(in bytes: Span<UInt8>, _ limits: HeadLimits) -> Bool {
        let start = lines.lineStart
        return limits.tokenFields.contains { name in
            let end = start &+ name.lowercased.count
            guard end < bytes.count, bytes[end] == ASCII.colon else { return false }
            return name.matches(bytes.extracting(start..<end))
        }
    }

    /// True if the current line is an `Authorization` field.
    private func isAuthorization(in bytes: Span<UInt8>) -> Bool {
        let name: StaticString = "authorization:"
        let start = lines.lineStart
        guard bytes.count &- start >= name.utf8CodeUnitCount else { return false }
        return name.withUTF8Buffer {
            unsafe bytes.extracting(start..<start &+ $0.count).equalsIgnoringCase($0.span)
        }
    }
}
