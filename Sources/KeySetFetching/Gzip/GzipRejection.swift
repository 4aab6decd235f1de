/// Reason why bytes cannot be decoded as gzip.
public enum GzipRejection: Error, Hashable, Sendable {
    /// The bytes are not gzip, are truncated, or are followed by something else.
    case notGzip
    /// The content is longer than the limit.
    case tooLong
    case outOfMemory
}
