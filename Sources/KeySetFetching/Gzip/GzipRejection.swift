/// Reason why bytes are not decoded from gzip.
public enum GzipRejection: Error, Hashable, Sendable {
    /// The bytes are no gzip, end within it, or go on with something else.
    case notGzip
    /// The content is longer than the limit.
    case tooLong
    case outOfMemory
}
