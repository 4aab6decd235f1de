/// The versions of HTTP/1 that a message may name (RFC 9112 §2.3); every other is refused.
public enum HTTPVersion: UInt8, Hashable, Sendable {
    case http10
    case http11
}
