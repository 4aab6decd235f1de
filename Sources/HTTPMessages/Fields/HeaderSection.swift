/// A message's header section as a view: the bytes of the head once, and a table of where each field is.
///
/// It is filled by a head parser and keeps its storage from one message to the next.
public struct HeaderSection: Sendable {
    /// The whole head from its first byte to the end of its blank line, and a token that was decoded from it; all
    /// ranges count in it.
    public internal(set) var bytes: [UInt8] = []

    /// The field lines in the order received.
    public internal(set) var fields: [HeaderField] = []

    /// The names that `Connection` nominates, `close` and `keep-alive` left out.
    var nominations: [Nomination] = []

    /// One bit for each known field that is there.
    @usableFromInline var presence: UInt64 = 0

    /// The value of `Content-Length`, judged.
    var contentLength: Int?

    /// The range of a token that was decoded from a field; its bytes stand behind those of the head. Nil if none was.
    @usableFromInline var decodedToken: Range<Int>?

    /// A field name among the options of `Connection`.
    struct Nomination: Hashable {
        var name: Range<Int>
        var hash: UInt32
    }

    init() {}

    /// Size of the head; a decoded token behind it does not count.
    @inlinable public var byteCount: Int { bytes.count &- (decodedToken?.count ?? 0) }

    /// The bytes of a range of this head; empty for a range that is not in it.
    public func slice(_ range: Range<Int>) -> ArraySlice<UInt8> {
        guard range.lowerBound >= 0, range.upperBound <= bytes.count else { return [] }
        return bytes[range]
    }

    /// A copy of a range of this head as text.
    public func string(_ range: Range<Int>) -> String { String(decoding: slice(range), as: UTF8.self) }

    public func name(of field: HeaderField) -> ArraySlice<UInt8> { slice(field.name) }

    public func value(of field: HeaderField) -> ArraySlice<UInt8> { slice(field.value) }

    /// Whether the range holds this text, letters in any case.
    public func equals(_ range: Range<Int>, ignoringCase text: StaticString) -> Bool {
        guard range.lowerBound >= 0, range.upperBound <= bytes.count else { return false }
        return text.withUTF8Buffer { unsafe bytes.span.extracting(range).equals($0.span, ignoringCase: ()) }
    }

    /// Whether the range holds these bytes exactly.
    public func equals(_ range: Range<Int>, _ other: Span<UInt8>) -> Bool {
        guard range.lowerBound >= 0, range.upperBound <= bytes.count, range.count == other.count else { return false }
        return bytes.span.extracting(range).equals(other)
    }

    /// Whether the field's name begins with this text, letters in any case.
    public func name(of field: HeaderField, hasPrefix text: StaticString) -> Bool {
        field.name.upperBound <= bytes.count && bytes.span.extracting(field.name).hasPrefix(text)
    }

    /// Whether a field with this name is there; look-alikes do not count.
    @inlinable public func contains(_ known: KnownField) -> Bool { presence & known.bit != 0 }

    /// Number of fields with this name.
    public func count(of known: KnownField) -> Int {
        guard contains(known) else { return 0 }
        var count = 0
        for field in fields where field.known == known { count &+= 1 }
        return count
    }

    /// The first field with this name.
    public func first(_ known: KnownField) -> HeaderField? {
        guard contains(known) else { return nil }
        return fields.first { $0.known == known }
    }

    /// The field with this name.
    ///
    /// Nil if there is none, or more than one. Inlinable, because to call it the compiler copies the section.
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

    /// The first field with a name that may be none of the table's; look-alikes do not count.
    public func first(_ name: FieldName) -> HeaderField? { fields.first { isNamed($0, name) } }

    /// Number of fields with this name.
    public func count(of name: FieldName) -> Int { fields.count { isNamed($0, name) } }

    /// Whether this is the field's name, in any case.
    public func isNamed(_ field: HeaderField, _ name: FieldName) -> Bool {
        guard field.nameHash == name.hash, field.name.upperBound <= bytes.count else { return false }
        return name.matches(bytes.span.extracting(field.name))
    }

    /// Whether a lax reader could take the field for this name: any case, and any character that is no letter or
    /// digit for `-`.
    public func resembles(_ field: HeaderField, _ name: FieldName) -> Bool {
        guard field.nameHash == name.hash, field.name.upperBound <= bytes.count else { return false }
        return name.resembles(bytes.span.extracting(field.name))
    }

    /// Whether `Connection` nominates the field, which therefore ends at this hop (RFC 9110 §7.6.1); names are
    /// compared folded.
    public func isNominated(_ field: HeaderField) -> Bool {
        for nomination in nominations where nomination.hash == field.nameHash && field.name.upperBound <= bytes.count {
            if bytes.span.extracting(nomination.name).equalsFolded(bytes.span.extracting(field.name)) { return true }
        }
        return false
    }

    /// Whether `Connection` nominates this name; names are compared folded.
    public func isNominated(_ name: FieldName) -> Bool {
        nominations.contains { $0.hash == name.hash && name.resembles(bytes.span.extracting($0.name)) }
    }

    /// Empties the section and keeps its storage.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        fields.removeAll(keepingCapacity: true)
        nominations.removeAll(keepingCapacity: true)
        presence = 0
        contentLength = nil
        decodedToken = nil
    }

    /// Adds a field whose name the table knows or not.
    @inline(__always)
    mutating func append(_ field: HeaderField) {
        fields.append(field)
        if let known = field.known { presence |= known.bit }
    }
}

/// The fields of one name in a section, in order.
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
    /// The field's bit in the set of fields that are present.
    @inline(__always)
    @inlinable var bit: UInt64 { 1 &<< UInt64(rawValue) }
}

/// Fields that were received as names and values, each kept as the line that it would be in HTTP/1.1: whatever reads or
/// copies lines works for both, and each is judged as that line would be, in the same order and against the same
/// limits.
extension HeaderSection {
    /// Judges a field and adds its line.
    ///
    /// - Parameters:
    ///   - value: without white space around it.
    ///   - hasObsText: whether the value has a byte above 0x7F, which in such a message only some fields may have.
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
        // What a parser of lines would look at before it refuses the head.
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

    /// Adds the line of a field whose name means nothing where it is, as in trailers.
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

    /// The field whose line is appended next.
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

    /// Adds bytes of a first line.
    mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
    }

    /// Adds bytes of a first line and returns where they are.
    mutating func append(_ part: Span<UInt8>) -> Range<Int> {
        let start = bytes.count
        take(part)
        return start..<bytes.count
    }
}
