import NetworkNames

/// The HTTP version of a message, oldest first.
///
/// A request line or status line may only name HTTP/1.0 or HTTP/1.1 (RFC 9112 §2.3).
public enum HTTPVersion: UInt8, Hashable, Comparable, Sendable {
    case http10
    case http11
    /// HTTP/2: the message was received as a field section of a stream (RFC 9113 §8.1).
    case http2

    public static func < (one: HTTPVersion, other: HTTPVersion) -> Bool { one.rawValue < other.rawValue }
}

extension Span<UInt8> {
    /// True if these bytes are an HTTP version, supported or not (RFC 9112 §2.3).
    var isHTTPVersion: Bool {
        guard count == 8, extracting(first: 5).equals("HTTP/") else { return false }
        // in bounds: the count was compared
        return ASCII.isDigit(self[5]) && self[6] == ASCII.dot && ASCII.isDigit(self[7])
    }
}
