/// A `Cookie` field that HTTP/2 sent in crumbs so that they compress well; HTTP/1.1 has one (RFC 9113 §8.2.3).
struct CookieCrumbs: Sendable {
    /// The crumbs, joined.
    private(set) var bytes: [UInt8] = []
    /// Whether there is no field at all: one empty crumb makes one.
    private(set) var isAbsent = true
    /// Whether one of them is never indexed, and therefore the whole.
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

    /// Forgets all of them. Storage is kept up to a size, so that one large field does not cost memory for good.
    mutating func removeAll(keepingUpTo size: Int) {
        isAbsent = true
        isNeverIndexed = false
        if bytes.capacity <= size { bytes.removeAll(keepingCapacity: true) } else { bytes = [] }
    }
}
