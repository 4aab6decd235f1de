/// Kind of a span, with its number in OTLP.
public enum SpanKind: UInt64, Sendable {
    case server = 2
    case client = 3
}

/// Spans as OTLP has them: `spans` fields of a `ScopeSpans` message, one after another (opentelemetry-proto 1.x).
public struct SpanBatch: ~Copyable {
    private var output = ProtobufBytes()
    /// Number of complete spans.
    public private(set) var count = 0
    /// First byte of an attribute of the message that is being written.
    private var attributeTag: UInt8 = 0
    /// Longest text of an attribute or a name, in bytes. Longer ones are cut.
    public static let longestText = 1024
    /// `spans` in `ScopeSpans`.
    static let spansField: UInt8 = 2

    public init() {}

    public var byteCount: Int { output.count }

    /// Takes out the spans written so far.
    public mutating func take() -> (bytes: [UInt8], count: Int) {
        defer { count = 0 }
        return (output.take(), count)
    }

    // MARK: Spans

    /// Begins a span, whose attributes, event and link follow.
    ///
    /// - Parameters:
    ///   - parent: the span that it is a part of. Nil for the first span of a trace.
    ///   - start: time since 1970, in nanoseconds, as all times here.
    /// - Returns: the span, for ``endSpan(_:isError:)``.
    public mutating func beginSpan(
        _ context: TraceContext, under parent: SpanID?, _ kind: SpanKind, from start: Int64, to end: Int64
    ) -> Int {
        let span = output.beginMessage(Self.spansField)
        output.identifier(1, context.trace.high, context.trace.low)
        output.identifier(2, context.span.bits)
        if let parent { output.identifier(4, parent.bits) }
        output.varint(6, kind.rawValue)
        output.fixed64(7, UInt64(clamping: start))
        output.fixed64(8, UInt64(clamping: end))
        attributeTag = Tag.attributesOfSpan
        return span
    }

    /// Writes the name: a method, and a route if there is one.
    public mutating func name(_ method: Span<UInt8>, route: [UInt8]? = nil) {
        let length = method.count &+ (route.map { $0.count &+ 1 } ?? 0)
        guard method.count <= 128, length <= Self.longestText else {
            return output.bytes(Self.nameField, Self.repaired(method).span)
        }
        guard let route else { return output.bytes(Self.nameField, method) }
        output.text(Self.nameField, method, route.span)
    }

    /// Writes a link to a span of another trace.
    public mutating func link(to other: TraceContext) {
        let link = output.beginMessage(13)
        output.identifier(1, other.trace.high, other.trace.low)
        output.identifier(2, other.span.bits)
        output.endMessage(link)
    }

    public mutating func endSpan(_ span: Int, isError: Bool) {
        if isError {
            // `status`, with the code ERROR.
            let status = output.beginMessage(15)
            output.varint(3, 2)
            output.endMessage(status)
        }
        output.endMessage(span)
        count &+= 1
    }

    // MARK: Events

    /// Begins an event of the span, whose attributes follow.
    public mutating func beginEvent(_ name: StaticString, at time: Int64) -> Int {
        let event = output.beginMessage(11)
        output.fixed64(1, UInt64(clamping: time))
        name.withUTF8Buffer { unsafe output.bytes(2, $0.span) }
        attributeTag = Tag.attributesOfEvent
        return event
    }

    public mutating func endEvent(_ event: Int) {
        output.endMessage(event)
        attributeTag = Tag.attributesOfSpan
    }

    // MARK: Attributes

    public mutating func attribute(_ name: SpanAttribute, _ value: String) {
        var value = value
        value.withUTF8 { unsafe attribute(name, $0.span) }
    }

    public mutating func attribute(_ name: SpanAttribute, _ value: StaticString) {
        value.withUTF8Buffer { unsafe attribute(name, known: $0.span) }
    }

    /// Writes a text of a client. It is cut to ``longestText``, and bytes that are not UTF-8 are replaced: one such
    /// byte would make collectors refuse all spans of a request.
    public mutating func attribute(_ name: SpanAttribute, _ value: Span<UInt8>) {
        let start = output.count
        guard value.count <= Self.longestText, output.attribute(attributeTag, name, value) else {
            output.removeAll(from: start)
            return attribute(name, known: Self.repaired(value).span)
        }
    }

    /// Writes a text of the configuration or the program.
    ///
    /// Not checked: that it is UTF-8 and not too long.
    public mutating func attribute(_ name: SpanAttribute, known value: Span<UInt8>) {
        _ = output.attribute(attributeTag, name, value)
    }

    public mutating func attribute(_ name: SpanAttribute, _ value: Int) {
        output.attribute(attributeTag, name, number: value)
    }

    /// The beginning of a text as UTF-8, at most ``longestText`` bytes.
    private static func repaired(_ value: Span<UInt8>) -> [UInt8] {
        let start = value.extracting(first: longestText)
        let bytes = unsafe start.withUnsafeBufferPointer { unsafe Array($0) }
        var text = Array(String(decoding: bytes, as: UTF8.self).utf8)
        // A replaced byte becomes three.
        if text.count > longestText {
            text.removeLast(text.count &- longestText)
            while let last = text.last, last & 0xC0 == 0x80 { text.removeLast() }
            text.removeLast()
        }
        return text
    }

    /// Number of `name` in `Span`.
    private static let nameField: UInt8 = 5

    private enum Tag {
        static let attributesOfSpan: UInt8 = 9 << 3 | 2
        static let attributesOfEvent: UInt8 = 3 << 3 | 2
    }
}
