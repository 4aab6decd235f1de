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
