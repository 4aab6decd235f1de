/// Reason why bytes could not be decoded as gzip.
public enum GzipRejection: Error, Hashable, Sendable {
    /// The bytes are not gzip, are truncated, or have other data after it.
    case notGzip
    /// The content is longer than the limit.
    case tooLong
    case outOfMemory
}
