/// A span decoded from OTLP, by a reader that shares nothing with its writer.
public struct DecodedSpan: Sendable {
    public var trace = ""
    public var span = ""
    public var parent = ""
    public var name = ""
    public var kind = 0
    public var start: UInt64 = 0
    public var end: UInt64 = 0
    public var attributes: [String: String] = [:]
    public var events: [(name: String, time: UInt64, attributes: [String: String])] = []
    /// Traces and spans, as digits with a dash between.
    public var links: [String] = []
    public var isError = false

    /// Decodes the `spans` fields of a `ScopeSpans` message. Nil if the bytes are not well-formed.
    public static func all(in bytes: [UInt8]) -> [DecodedSpan]? {
        guard let fields = ProtobufField.all(in: bytes[...]) else { return nil }
        var spans: [DecodedSpan] = []
        for field in fields where field.number == 2 {
            guard let span = DecodedSpan(field.bytes) else { return nil }
            spans.append(span)
        }
        return spans
    }

    private init?(_ bytes: ArraySlice<UInt8>) {
        guard let fields = ProtobufField.all(in: bytes) else { return nil }
        for field in fields {
            switch field.number {
            case 1: trace = field.digits
            case 2: span = field.digits
            case 4: parent = field.digits
            case 5: name = field.text
            case 6: kind = Int(field.value)
            case 7: start = field.value
            case 8: end = field.value
            case 9:
                guard let (key, value) = Self.attribute(field.bytes) else { return nil }
                attributes[key] = value
            case 11:
                guard let event = Self.event(field.bytes) else { return nil }
                events.append(event)
            case 13:
                guard let parts = ProtobufField.all(in: field.bytes) else { return nil }
                links.append(parts.map(\.digits).joined(separator: "-"))
            case 15: isError = ProtobufField.all(in: field.bytes)?.contains { $0.number == 3 && $0.value == 2 } ?? false
            default: return nil
            }
        }
    }

    private static func event(_ bytes: ArraySlice<UInt8>) -> (String, UInt64, [String: String])? {
        guard let fields = ProtobufField.all(in: bytes) else { return nil }
        var event = (name: "", time: UInt64(0), attributes: [String: String]())
        for field in fields {
            switch field.number {
            case 1: event.time = field.value
            case 2: event.name = field.text
            case 3:
                guard let (key, value) = attribute(field.bytes) else { return nil }
                event.attributes[key] = value
            default: return nil
            }
        }
        return event
    }

    private static func attribute(_ bytes: ArraySlice<UInt8>) -> (String, String)? {
        guard let fields = ProtobufField.all(in: bytes), fields.map(\.number) == [1, 2],
            let value = ProtobufField.all(in: fields[1].bytes), value.count == 1
        else { return nil }
        switch value[0].number {
        case 1: return (fields[0].text, value[0].text)
        case 3: return (fields[0].text, String(Int64(bitPattern: value[0].value)))
        default: return nil
        }
    }
}

/// A field of a protobuf message.
struct ProtobufField {
    let number: Int
    /// Content of a varint or a fixed-size field.
    var value: UInt64 = 0
    /// Content of a length-delimited field.
    var bytes: ArraySlice<UInt8> = []

    /// Text of the field. Not UTF-8: a text that no attribute has.
    var text: String { String(validating: bytes, as: UTF8.self) ?? "not UTF-8" }

    var digits: String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    static func all(in bytes: ArraySlice<UInt8>) -> [ProtobufField]? {
        var (rest, fields) = (bytes, [ProtobufField]())
        while !rest.isEmpty {
            guard let tag = varint(&rest) else { return nil }
            var field = ProtobufField(number: Int(tag >> 3))
            switch tag & 7 {
            case 0:
                guard let value = varint(&rest) else { return nil }
                field.value = value
            case 1:
                guard rest.count >= 8 else { return nil }
                field.value = rest.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
                rest = rest.dropFirst(8)
            case 2:
                guard let length = varint(&rest), length <= rest.count else { return nil }
                field.bytes = rest.prefix(Int(length))
                rest = rest.dropFirst(Int(length))
            default: return nil
            }
            fields.append(field)
        }
        return fields
    }

    private static func varint(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: 0, to: 64, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }
}
