import NetworkNames

/// Builds trailer sections from HTTP/2 fields (RFC 9113 §8.1), within the trailer limits of a chunked body.
///
/// Names have no meaning here: a trailer field never frames, authorises or identifies. The caller chooses the fields to
/// forward, by `TrailerFields.Field.known` or `HeaderField.known` and `lookAlike`.
public struct TrailerBuilder: ~Copyable, Sendable {
    /// The fields so far, as lines and as a table.
    public private(set) var section = HeaderSection()

    /// The fields so far as complete lines, in the form that a `ChunkedDecoder` keeps. Input for `TrailerFields`.
    public var lines: [UInt8] { section.bytes }

    private let limits: ChunkLimits
    private let table = KnownFieldTable.standard

    public init(limits: ChunkLimits = ChunkLimits()) {
        self.limits = limits
    }

    /// Adds the next field, in the order of the section.
    ///
    /// - Parameter isNeverIndexed: true if the field arrived as a literal that is never indexed (RFC 7541 §6.2.3).
    public mutating func add(name: Span<UInt8>, value: Span<UInt8>, isNeverIndexed: Bool) throws(TrailerMalformation) {
        guard name.isEmpty || name[0] != ASCII.colon else { throw .pseudoHeader }
        guard let lookedUp = FieldSectionName(name, table: table), let checked = FieldSectionValue(value) else {
            throw .invalidField
        }
        if lookedUp.isOfConnection { throw .connectionField }
        guard section.fields.count < limits.trailerFields else { throw .tooManyFields }
        // The blank line is counted, as in a chunked body.
        guard section.bytes.count &+ name.count &+ checked.trimmed.count &+ 4 &+ 2 <= limits.trailers else {
            throw .sectionTooLarge
        }
        section.addLine(name, value.extracting(checked.trimmed), as: lookedUp, isNeverIndexed: isNeverIndexed)
    }

    /// Starts the next section and keeps the storage.
    public mutating func reset() { section.removeAll() }
}
