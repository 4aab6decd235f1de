/// Where a cache copies the record it found; reused storage, which allocates only until it is as large as its largest
/// record.
public struct TokenRecordBytes: Sendable {
    /// The record found last, whole; empty before the first.
    public private(set) var bytes: [UInt8] = []

    /// The longest record there can be. A token is not longer than the request head that carries it.
    public static let mostBytes = 8192

    /// Beyond so many bytes, a text that is only logged is cut.
    public static let longestText = 512

    public init() {}

    /// Large enough for any record from the start, so that no lookup allocates.
    public init(reservingCapacity: Void) {
        bytes.reserveCapacity(Self.mostBytes)
    }

    mutating func replace(with slice: ArraySlice<UInt8>) {
        bytes.removeAll(keepingCapacity: true)
        bytes.append(contentsOf: slice)
    }
}
