import NetworkNames

/// The `Cookie` field of an HTTP/2 request, joined from its parts. HTTP/2 splits it to compress it better; HTTP/1.1 has
/// a single field (RFC 9113 §8.2.3).
struct CookieCrumbs: Sendable {
    /// The parts so far, joined with "; ".
    private(set) var bytes: [UInt8] = []
    /// True if no `Cookie` field was received. A single empty part counts as a field.
    private(set) var isAbsent = true
    /// True if at least one part is never indexed; then the joined field is not indexed either.
    private(set) var isNeverIndexed = false

    mutating func add(_ crumb: Span<UInt8>, isNeverIndexed: Bool) {
        if !isAbsent {
            bytes.append(ASCII.semicolon)
            bytes.append(ASCII.space)
        }
        isAbsent = false
        unsafe crumb.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
        self.isNeverIndexed = self.isNeverIndexed || isNeverIndexed
    }

    /// Removes all parts. Storage is kept only up to a size, so that one large field does not occupy memory
    /// permanently.
    mutating func removeAll(keepingUpTo size: Int) {
        isAbsent = true
        isNeverIndexed = false
        if bytes.capacity <= size { bytes.removeAll(keepingCapacity: true) } else { bytes = [] }
    }
}
