extension MessageHead {
    /// Whether the content is a call of gRPC or an answer to one; `application/grpc-web` is neither.
    @inlinable public var isGRPC: Bool { section.isGRPC }

    /// Whether the content is an event stream (HTML §9.2).
    @inlinable public var isEventStream: Bool { section.isEventStream }
}

extension HeaderSection {
    /// Whether the content is a call of gRPC or an answer to one.
    public var isGRPC: Bool { hasContentType("application/grpc", endings: "+;") }

    /// Whether the content is an event stream.
    public var isEventStream: Bool { hasContentType("text/event-stream", endings: ";") }

    /// Whether there is one media type, and it is this.
    private func hasContentType(_ type: StaticString, endings: StaticString) -> Bool {
        guard let field = first(.contentType), count(of: .contentType) == 1, field.value.upperBound <= bytes.count
        else { return false }
        return MediaType.matches(bytes.span.extracting(field.value), type, endings: endings)
    }
}

/// Media types by their bytes (RFC 9110 §8.3.1): nearly every message has one, so no text is made of it.
enum MediaType {
    /// - Parameter endings: what may stand behind the type.
    static func matches(_ value: Span<UInt8>, _ type: StaticString, endings: StaticString) -> Bool {
        guard value.hasPrefix(type) else { return false }
        guard value.count > type.utf8CodeUnitCount else { return true }
        let next = value[type.utf8CodeUnitCount]  // in bounds: just compared
        return next == ASCII.space || endings.withUTF8Buffer { unsafe $0.contains(next) }
    }
}
