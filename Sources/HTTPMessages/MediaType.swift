extension MessageHead {
    /// Whether the content is a call of gRPC or an answer to one; `application/grpc-web` is neither.
    public var isGRPC: Bool { hasMediaType("application/grpc", endings: "+;") }

    /// Whether the content is an event stream (HTML §9.2).
    public var isEventStream: Bool { hasMediaType("text/event-stream", endings: ";") }

    /// Nearly every message has a type, so no text is made of it.
    private func hasMediaType(_ type: String, endings: String) -> Bool {
        guard let field = first(.contentType), count(of: .contentType) == 1 else { return false }
        let value = slice(field.value)
        let count = type.utf8.count
        guard value.count >= count, zip(value, type.utf8).allSatisfy({ $0 == $1 || $0 | 0x20 == $1 }) else { return false }
        guard let next = value.dropFirst(count).first else { return true }
        return next == UInt8(ascii: " ") || endings.utf8.contains(next)
    }
}
