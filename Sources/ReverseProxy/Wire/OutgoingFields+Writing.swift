import HTTP2Sessions
import HTTPMessages

extension OutgoingFields {
    /// Takes the fields of a message in place of its own.
    mutating func fill(from writer: borrowing FieldWriter) {
        writer.withFields { bytes, fields in
            take(bytes, count: fields.count) { index in
                let field = fields[index]
                return (field.name, field.value, field.isNeverIndexed)
            }
        }
    }

    /// Takes the lines of a trailer section in place of its own.
    mutating func fill(fromTrailers lines: [UInt8]) {
        removeAll()
        for field in TrailerFields(lines) { append(field.name.span, field.value.span) }
    }
}
