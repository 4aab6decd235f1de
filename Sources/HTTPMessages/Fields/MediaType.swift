import NetworkNames

extension MessageHead {
    /// True if the message is a gRPC request or response. `application/grpc-web` does not count.
    @inlinable public var isGRPC: Bool { section.isGRPC }

    /// True if the content is an event stream (HTML §9.2).
    @inlinable public var isEventStream: Bool { section.isEventStream }
}

extension HeaderSection {
    /// True if the message is a gRPC request or response.
    public var isGRPC: Bool { hasContentType("application/grpc", endings: "+;") }

    /// True if the content is an event stream.
    public var isEventStream: Bool { hasContentType("text/event-stream", endings: ";") }

    /// True if there is exactly one `Content-Type`, and it has this media type.
    private func hasContentType(_ type: StaticString, endings: StaticString) -> Bool {
        guard let field = first(.contentType), count(of: .contentType) == 1, field.value.upperBound <= bytes.count
        else { return false }
        return MediaType.matches(bytes.span.extracting(field.value), type, endings: endings)
    }
}

/// Comparison of media types (RFC 9110 §8.3.1) by bytes. No `String` is made, because nearly every message has one.
enum MediaType {
    /// - Parameter endings: characters that may follow the type, in addition to a space.
    static func matches(_ value: Span<UInt8>, _ type: StaticString, endings: StaticString) -> Bool {
        guard value.hasPrefix(type) else { return false }
        guard value.count > type.utf8CodeUnitCount else { return true }
        let next = value[type.utf8CodeUnitCount]  // in bounds: just compared
        return next == ASCII.space || endings.withUTF8Buffer { unsafe $0.contains(next) }
    }
}
