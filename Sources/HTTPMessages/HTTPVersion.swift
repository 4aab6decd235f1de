/// The HTTP version of a message, oldest first.
///
/// A first line may name the versions of HTTP/1 (RFC 9112 §2.3) and no other.
public enum HTTPVersion: UInt8, Hashable, Comparable, Sendable {
    case http10
    case http11
    /// The message was received as a field section of a stream (RFC 9113 §8.1).
    case http2

    public static func < (one: HTTPVersion, other: HTTPVersion) -> Bool { one.rawValue < other.rawValue }
}
