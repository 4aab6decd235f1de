import HTTP2Sessions
import HTTPMessages

extension FieldWriter {
    /// Replaces the fields with those of the message.
    ///
    /// Mutating, so that a writer that is a class's property is not copied for it.
    mutating func hand(to outgoing: inout OutgoingFields) {
        withFields { bytes, fields in
            outgoing.take(bytes, count: fields.count) { index in
                let field = fields[index]
                return (field.name, field.value, field.indexing)
            }
        }
    }
}

extension FieldWriter.Field {
    fileprivate var indexing: FieldIndexing { isNeverIndexed ? .never : isPrepared ? .indexed : .without }
}

extension OutgoingFields {
    /// Takes the lines of a trailer section in place of its own.
    mutating func fill(fromTrailers lines: [UInt8]) {
        removeAll()
        for field in TrailerFields(lines) { append(field.name.span, field.value.span) }
    }
}
