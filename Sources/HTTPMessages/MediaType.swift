extension MessageHead {
    /// Whether the content is a call of gRPC or an answer to one; `application/grpc-web` is neither.
    public var isGRPC: Bool { contentType.map(MediaType.isGRPC) ?? false }

    /// Whether the content is an event stream (HTML §9.2).
    public var isEventStream: Bool { contentType.map { MediaType.matches($0, "text/event-stream", endings: ";") } ?? false }

    /// The one media type there is; nil if there is none, or more than one.
    private var contentType: ArraySlice<UInt8>? {
        guard let field = first(.contentType), count(of: .contentType) == 1 else { return nil }
        return slice(field.value)
    }
}

/// Media types by their bytes (RFC 9110 §8.3.1): nearly every message has one, so no text is made of it.
enum MediaType {
    static func isGRPC(_ value: some Collection<UInt8>) -> Bool { matches(value, "application/grpc", endings: "+;") }

    /// - Parameter endings: what may stand behind the type.
    static func matches(_ value: some Collection<UInt8>, _ type: String, endings: String) -> Bool {
        let count = type.utf8.count
        guard value.count >= count, zip(value, type.utf8).allSatisfy({ $0 == $1 || $0 | 0x20 == $1 }) else { return false }
        guard let next = value.dropFirst(count).first else { return true }
        return next == ASCII.space || endings.utf8.contains(next)
    }
}
