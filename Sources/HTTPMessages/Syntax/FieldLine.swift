import NetworkNames

/// Parser for one field line (RFC 9112 §5), as strict as a recipient may be.
enum FieldLine {
    /// Parses a line whose bytes are already known to be allowed in one.
    static func parse(_ line: Range<Int>, in bytes: Span<UInt8>, table: KnownFieldTable) throws(FieldRejection)
        -> HeaderField
    {
        var hash = FieldNameHash()
        var index = line.lowerBound
        while index < line.upperBound {
            let folded = table.foldedTokens[Int(bytes[index])]
            guard folded != 0 else { break }
            hash.combine(folded)
            index &+= 1
        }
        guard index < line.upperBound, bytes[index] == ASCII.colon, index > line.lowerBound else {
            throw nameRejection(line, nameEnd: index, in: bytes)
        }
        let name = line.lowerBound..<index
        let value = trimmed(index &+ 1..<line.upperBound, in: bytes)
        let match = table.entry(hash: hash.value, name: bytes.extracting(name))
        return try field(
            HeaderField(name: name, value: value, nameHash: hash.value, known: nil, lookAlike: nil), match: match)
    }

    /// Classifies a field by its name's match in the table of known fields. Refuses look-alikes of framing and
    /// hop-by-hop fields.
    @inline(__always)
    static func field(_ field: HeaderField, match: KnownFieldTable.Match?) throws(FieldRejection) -> HeaderField {
        var field = field
        switch match {
        case nil: break
        case .name(let known): field.known = known
        case .lookAlike(let known):
            if known.isFraming { throw .framingLookAlike }
            if known.isHopByHop { throw .hopByHopLookAlike }
            field.lookAlike = known
        }
        return field
    }

    /// The range without white space at its ends.
    @inline(__always)
    static func trimmed(_ range: Range<Int>, in bytes: Span<UInt8>) -> Range<Int> {
        var start = range.lowerBound
        var end = range.upperBound
        while start < end, ASCII.isOptionalWhitespace(bytes[start]) { start &+= 1 }
        while end > start, ASCII.isOptionalWhitespace(bytes[end &- 1]) { end &-= 1 }
        return start..<end
    }

    /// The reason to refuse a line whose first token is not followed by a colon.
    private static func nameRejection(_ line: Range<Int>, nameEnd: Int, in bytes: Span<UInt8>) -> FieldRejection {
        var index = nameEnd
        while index < line.upperBound, ASCII.isOptionalWhitespace(bytes[index]) { index &+= 1 }
        // A line that begins with white space used to continue the previous line (obs-fold), until RFC 7230 forbade it.
        if nameEnd == line.lowerBound, index > nameEnd { return .foldedField }
        if index < line.upperBound, bytes[index] == ASCII.colon {
            return index == nameEnd ? .emptyFieldName : .whitespaceBeforeColon
        }
        while index < line.upperBound {
            if bytes[index] == ASCII.colon { return .invalidFieldName }
            index &+= 1
        }
        return .missingColon
    }
}
