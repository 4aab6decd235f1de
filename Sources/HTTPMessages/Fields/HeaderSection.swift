import ByteWords

/// A message's header section as a view: one copy of the head's bytes, and a table of field ranges.
///
/// A head parser or builder fills it. Its storage is reused for the next message.
public struct HeaderSection: Sendable {
    /// The whole head from its first byte to the end of its blank line, followed by a token decoded from it. All ranges
    /// are offsets in these bytes.
    public internal(set) var bytes: [UInt8] = []

    /// The field lines in the order received.
    public internal(set) var fields: [HeaderField] = []

    /// The names that `Connection` nominates, except `close` and `keep-alive`.
    var nominations: [Nomination] = []

    /// Set of the known fields that are present, one bit each.
    @usableFromInline var presence: UInt64 = 0

    /// The validated value of `Content-Length`. Nil if the field is absent.
    var contentLength: Int?

    /// The range of a token that was decoded from a field. Its bytes follow those of the head. Nil if none was decoded.
    @usableFromInline var decodedToken: Range<Int>?

    /// A field name among the options of `Connection`.
    struct Nomination: Hashable {
        var name: Range<Int>
        var hash: UInt32
    }

    init() {}

    /// Size of the head. A decoded token behind it does not count.
    @inlinable public var byteCount: Int { bytes.count &- (decodedToken?.count ?? 0) }

    /// The bytes of a range of this head. Empty for a range outside it.
    public func slice(_ range: Range<Int>) -> ArraySlice<UInt8> {
        guard range.lowerBound >= 0, range.upperBound <= bytes.count else { return [] }
        return bytes[range]
    }

    /// A copy of a range of this head as text.
    public func string(_ range: Range<Int>) -> String { String(decoding: slice(range), as: UTF8.self) }

    public func name(of field: HeaderField) -> ArraySlice<UInt8> { slice(field.name) }

    public func value(of field: HeaderField) -> ArraySlice<UInt8> { slice(field.value) }

    /// True if the range holds this text, ignoring case.
    public func equals(_ range: Range<Int>, ignoringCase text: StaticString) -> Bool {
        guard range.lowerBound >= 0, range.upperBound <= bytes.count else { return false }
        return text.withUTF8Buffer { unsafe bytes.span.extracting(range).equalsIgnoringCase($0.span) }
    }

    /// True if the range holds exactly these bytes.
    public func equals(_ range: Range<Int>, _ other: Span<UInt8>) -> Bool {
        guard range.lowerBound >= 0, range.upperBound <= bytes.count, range.count == other.count else { return false }
        return bytes.span.extracting(range).equals(other)
    }

    /// True if the field's name begins with this text, ignoring case.
    public func name(of field: HeaderField, hasPrefix text: StaticString) -> Bool {
        field.name.upperBound <= bytes.count && bytes.span.extracting(field.name).hasPrefix(text)
    }

    /// True if a field with this name is present. Look-alikes do not count.
    @inlinable public func contains(_ known: KnownField) -> Bool { presence & known.bit != 0 }

    /// Number of fields with this name.
    public func count(of known: KnownField) -> Int {
        guard contains(known) else { return 0 }
        var count = 0
        for field in fields where field.known == known { count &+= 1 }
        return count
    }

    /// The first field with this name. Nil if there is none.
    public func first(_ known: KnownField) -> HeaderField? {
        guard contains(known) else { return nil }
        return fields.first { $0.known == known }
    }

    /// The field with this name. Nil if there is none or more than one.
    ///
    /// Inlinable, because otherwise the compiler copies the section for the call.
    @inlinable
    @inline(__always)
    public func only(_ known: KnownField) -> HeaderField? {
        guard contains(known) else { return nil }
        var only: HeaderField?
        for field in fields where field.known == known {
            guard only == nil else { return nil }
            only = field
        }
        return only
    }

    /// The fields with this name in the order received.
    public func fields(named known: KnownField) -> KnownFields {
        KnownFields(remaining: contains(known) ? fields[...] : [], known: known)
    }

    /// The first field with a name that need not be in the table of known fields. Look-alikes do not count. Nil if
    /// there is none.
    public func first(_ name: FieldName) -> HeaderField? {
        // The hash first, because most fields have another.
        for field in fields where field.nameHash == name.hash && isNamed(field, name) { return field }
        return nil
    }

    /// Number of fields with this name.
    public func count(of name: FieldName) -> Int { fields.count { isNamed($0, name) } }

    /// True if the field has this name, ignoring case.
    public func isNamed(_ field: HeaderField, _ name: FieldName) -> Bool {
        guard field.nameHash == name.hash, field.name.upperBound <= bytes.count else { return false }
        return name.matches(bytes.span.extracting(field.name))
    }

    /// True if a lax reader could take the field for this name: case is ignored, and every character except letters and
    /// digits counts as `-`.
    public func resembles(_ field: HeaderField, _ name: FieldName) -> Bool {
        guard field.nameHash == name.hash, field.name.upperBound <= bytes.count else { return false }
        return name.resembles(bytes.span.extracting(field.name))
    }

    /// True if `Connection` nominates the field, so that it must not be forwarded (RFC 9110 §7.6.1). Names are compared
    /// folded.
    public func isNominated(_ field: HeaderField) -> Bool {
        for nomination in nominations where nomination.hash == field.nameHash && field.name.upperBound <= bytes.count {
            if bytes.span.extracting(nomination.name).equalsFolded(bytes.span.extracting(field.name)) { return true }
        }
        return false
    }

    /// True if `Connection` nominates this name. Names are compared folded.
    public func isNominated(_ name: FieldName) -> Bool {
        nominations.contains { $0.hash == name.hash && name.resembles(bytes.span.extracting($0.name)) }
    }

    /// Empties the section and keeps its storage.
    mutating func removeAll() {
        if !bytes.isEmpty { bytes.removeAll(keepingCapacity: true) }
        if !fields.isEmpty { fields.removeAll(keepingCapacity: true) }
        if !nominations.isEmpty { nominations.removeAll(keepingCapacity: true) }
        presence = 0
        contentLength = nil
        decodedToken = nil
    }

    /// Adds a field, with or without a known name.
    @inline(__always)
    mutating func append(_ field: HeaderField) {
        fields.append(field)
        if let known = field.known { presence |= known.bit }
    }
}

/// The fields of a section that have one known name, in order.
public struct KnownFields: Sequence, IteratorProtocol, Sendable {
    var remaining: ArraySlice<HeaderField>
    let known: KnownField

    public mutating func next() -> HeaderField? {
        while let field = remaining.popFirst() {
            if field.known == known { return field }
        }
        return nil
    }
}

extension KnownField {
    /// The field's bit in `presence`.
    @inline(__always)
    @inlinable var bit: UInt64 { 1 &<< UInt64(rawValue) }
}

/// Fields that were received as names and values (HTTP/2). Each is kept as the line that it would be in HTTP/1.1, so
/// that all readers of lines work for both.
///
/// Each is validated like that line, in the same order and against the same limits.
extension HeaderSection {
    /// Validates a field and adds its line.
    ///
    /// - Parameters:
    ///   - value: without white space around it.
    ///   - hasObsText: true if the value has a byte above 0x7F and the message is a request, where only some fields may
    ///     have one.
    mutating func add(
        _ name: Span<UInt8>,
        _ value: Span<UInt8>,
        as lookedUp: FieldSectionName,
        hasObsText: Bool,
        isNeverIndexed: Bool,
        limits: HeadLimits
    ) throws(FieldRejection) {
        let room = limits.head &- bytes.count
        let length = name.count &+ 2 &+ value.count
        // The number of bytes that a parser of lines would scan before it refuses the head.
        let scanned = min(length, room)
        if scanned > limits.shortLine {
            let carriesToken = lookedUp.known == .authorization || limits.isTokenField(name, hash: lookedUp.hash)
            try limits.check(lineLength: scanned, carriesToken: carriesToken)
        }
        guard length &+ 2 <= room else { throw .headTooLarge }
        guard fields.count < limits.fields else { throw .tooManyFields }
        let field = try FieldLine.field(nextField(name, value, lookedUp.hash, isNeverIndexed), match: lookedUp.match)
        try limits.check(field, name: name, value: value)
        if hasObsText { try limits.checkObsText(field, name: name, value: value) }
        if let known = field.known, known.isFraming { try admitFraming(known, value) }
        appendLine(name, value)
        append(field)
    }

    /// Adds the line of a field without validating framing, because its name has no meaning here, as in trailers.
    mutating func addLine(
        _ name: Span<UInt8>, _ value: Span<UInt8>, as lookedUp: FieldSectionName, isNeverIndexed: Bool
    ) {
        var field = nextField(name, value, lookedUp.hash, isNeverIndexed)
        switch lookedUp.match {
        case nil: break
        case .name(let known): field.known = known
        case .lookAlike(let known): field.lookAlike = known
        }
        appendLine(name, value)
        append(field)
    }

    /// The field for the line that is appended next.
    private func nextField(_ name: Span<UInt8>, _ value: Span<UInt8>, _ hash: UInt32, _ isNeverIndexed: Bool)
        -> HeaderField
    {
        let start = bytes.count
        let valueStart = start &+ name.count &+ 2
        return HeaderField(
            name: start..<start &+ name.count,
            value: valueStart..<valueStart &+ value.count,
            nameHash: hash,
            known: nil,
            lookAlike: nil,
            isNeverIndexed: isNeverIndexed,
        )
    }

    private mutating func appendLine(_ name: Span<UInt8>, _ value: Span<UInt8>) {
        let length = name.count &+ value.count &+ 4
        bytes.append(addingCapacity: length) { line in
            unsafe line.withUnsafeMutableBufferPointer { buffer, count in
                unsafe UnsafeMutableRawBufferPointer(buffer).putLine(name, value, at: count)
                count &+= length
            }
        }
    }

    /// Appends text of a first line.
    mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
    }

    /// Appends bytes of a first line and returns their range.
    mutating func append(_ part: Span<UInt8>) -> Range<Int> {
        let start = bytes.count
        take(part)
        return start..<bytes.count
    }
}
