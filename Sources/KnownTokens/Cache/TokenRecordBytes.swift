/// Buffer into which a cache copies a record. Its storage is reused, and allocates only until it is as large as its
/// largest record.
public struct TokenRecordBytes: Sendable {
    /// The complete record found last. Empty before the first.
    public private(set) var bytes: [UInt8] = []

    /// Longest record, in bytes. A token is no longer than the request head that carries it.
    public static let mostBytes = 8192

    /// Length in bytes to which a text that is only logged is cut.
    public static let longestText = 512

    public init() {}

    /// Creates a buffer that is large enough for any record, so that no lookup allocates.
    public init(reservingCapacity: Void) {
        bytes.reserveCapacity(Self.mostBytes)
    }

    mutating func replace(with slice: ArraySlice<UInt8>) {
        bytes.removeAll(keepingCapacity: true)
        bytes.append(contentsOf: slice)
    }
}
