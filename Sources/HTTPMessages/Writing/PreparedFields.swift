/// Fields that are the same in many messages, written once for either version. A class, so that messages share it.
public final class PreparedFields: Sendable {
    /// Complete lines of HTTP/1.1.
    let lines: [UInt8]
    /// Bytes for HTTP/2, whose ranges count from the first byte.
    let bytes: [UInt8]
    let fields: [FieldWriter.Field]

    /// - Returns: nil if a value has a byte that may not stand in one.
    public init?(_ fields: [(name: StaticString, value: [UInt8])]) {
        var (lines, writer) = (HeadWriter(), FieldWriter())
        for field in fields {
            guard lines.field(field.name, field.value.span), writer.field(field.name, field.value.span) else {
                return nil
            }
        }
        self.lines = Array(lines.bytes)
        bytes = writer.bytes
        self.fields = writer.fields
    }
}
