/// Fields that are the same in many messages, encoded once for HTTP/1.1 and HTTP/2. A class, so that messages share
/// them.
public final class PreparedFields: Sendable {
    /// The fields as complete HTTP/1.1 lines.
    let lines: [UInt8]
    /// The fields for HTTP/2. The ranges of `fields` are offsets in `bytes`.
    let bytes: [UInt8]
    let fields: [FieldWriter.Field]

    /// Encodes the fields. Nil if a value has a byte that is not allowed in field values.
    public init?(_ fields: [(name: StaticString, value: [UInt8])]) {
        var (lines, writer) = (HeadWriter(), FieldWriter())
        for field in fields {
            guard lines.field(field.name, field.value.span), writer.field(field.name, field.value.span) else {
                return nil
            }
        }
        self.lines = Array(lines.bytes)
        bytes = Array(writer.bytes)
        self.fields = writer.fields
    }
}
