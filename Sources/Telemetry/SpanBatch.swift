import ByteWords

/// Kind of a span, with its number in OTLP.
public enum SpanKind: UInt64, Sendable {
    case server = 2
    case client = 3
}

/// Spans as OTLP has them: `spans` fields of a `ScopeSpans` message, one after another (opentelemetry-proto 1.x).
public struct SpanBatch: Sendable {
    private var output = ProtobufBytes()
    /// Number of complete spans.
    public private(set) var count = 0
    /// First byte of an attribute of the message that is being written.
    private var attributeTag: UInt8 = 0
    private let keys = SpanAttribute.allCases.map { attribute in
        [0x0A, UInt8(truncatingIfNeeded: attribute.name.utf8.count)] + Array(attribute.name.utf8)
    }

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

    public mutating func reserveCapacity(_ size: Int) { output.reserveCapacity(size) }

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
        guard method.count <= 128, length <= Self.longestText else { return text(Tag.nameOfSpan, method) }
        output.append(Tag.nameOfSpan)
        output.length(length)
        output.append(method)
        guard let route else { return }
        output.append(UInt8(ascii: " "))
        output.append(route)
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
        name.withUTF8Buffer { unsafe output.shortBytes(2, $0.span) }
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
        value.withUTF8Buffer { unsafe attribute(name, $0.span) }
    }

    /// Writes a text. It is cut to ``longestText``, and bytes that are not UTF-8 are replaced: one such byte would make
    /// collectors refuse all spans of a request.
    public mutating func attribute(_ name: SpanAttribute, _ value: Span<UInt8>) {
        guard value.count <= Self.longestText, value.isASCII else { return attribute(name, repaired: value) }
        string(name, value)
    }

    private mutating func string(_ name: SpanAttribute, _ value: Span<UInt8>) {
        let length = 1 &+ ProtobufBytes.varintSize(value.count) &+ value.count
        begin(name, valueLength: length)
        output.append(Tag.stringValue)
        output.length(value.count)
        output.append(value)
    }

    private mutating func attribute(_ name: SpanAttribute, repaired value: Span<UInt8>) {
        let text = Self.repaired(value)
        string(name, text.span)
    }

    public mutating func attribute(_ name: SpanAttribute, _ value: Int) {
        let bits = UInt64(bitPattern: Int64(value))
        let size = value < 0 ? 10 : ProtobufBytes.varintSize(value)
        begin(name, valueLength: 1 &+ size)
        output.append(Tag.intValue)
        output.varint(bits)
    }

    /// Writes a `KeyValue` up to its `AnyValue`, which follows.
    private mutating func begin(_ name: SpanAttribute, valueLength: Int) {
        let key = keys[name.rawValue]  // in bounds: one for each case
        output.append(attributeTag)
        output.length(key.count &+ 1 &+ ProtobufBytes.varintSize(valueLength) &+ valueLength)
        output.append(key)
        output.append(Tag.value)
        output.length(valueLength)
    }

    private mutating func text(_ tag: UInt8, _ value: Span<UInt8>) {
        let text = Self.repaired(value)
        output.append(tag)
        output.length(text.count)
        output.append(text)
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

    private enum Tag {
        static let nameOfSpan: UInt8 = 5 << 3 | 2
        static let attributesOfSpan: UInt8 = 9 << 3 | 2
        static let attributesOfEvent: UInt8 = 3 << 3 | 2
        /// `value` in `KeyValue`.
        static let value: UInt8 = 2 << 3 | 2
        static let stringValue: UInt8 = 1 << 3 | 2
        static let intValue: UInt8 = 3 << 3
    }
}

extension Span<UInt8> {
    fileprivate var isASCII: Bool {
        firstOffset(from: 0, filler: UInt8(ascii: " ")) { $0.nonASCII } == count
    }
}
