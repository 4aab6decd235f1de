import HTTPMessages
import Testing

struct TrailerBuilderTests {
    private func build(
        _ fields: KeyValuePairs<String, String>,
        limits: ChunkLimits = ChunkLimits()
    ) throws(TrailerMalformation) -> [UInt8] {
        var builder = TrailerBuilder(limits: limits)
        for field in FieldSection(fields).fields {
            try builder.add(name: field.name.span, value: field.value.span, isNeverIndexed: field.isNeverIndexed)
        }
        return builder.lines
    }

    private func malformation(
        _ fields: KeyValuePairs<String, String>,
        limits: ChunkLimits = ChunkLimits()
    ) -> TrailerMalformation? {
        do throws(TrailerMalformation) {
            _ = try build(fields, limits: limits)
            return nil
        } catch {
            return error
        }
    }

    @Test func `trailers are written as the lines that end a chunked body`() throws {
        let fields: KeyValuePairs = [
            "grpc-status": "0", "grpc-message": "", "x": " a b\t", "content-length": "no number",
        ]
        let lines = try build(fields)
        #expect(
            String(decoding: lines, as: UTF8.self)
                == "grpc-status: 0\r\ngrpc-message: \r\nx: a b\r\ncontent-length: no number\r\n")
        var writer = HeadWriter()
        for field in FieldSection(fields).fields { _ = writer.field(field.name.span, field.value.span) }
        writer.finish()
        var decoder = ChunkedDecoder(keepsTrailers: true)
        let body = Array("0\r\n".utf8) + writer.bytes
        _ = try decoder.next(body.span)
        let decoded = Array(TrailerFields(decoder.trailers))
        #expect(decoded.map { Array($0.name) } == TrailerFields(lines).map { Array($0.name) })
        #expect(decoded.map { Array($0.value) } == TrailerFields(lines).map { Array($0.value) })
    }

    @Test func `trailers have a field table like heads`() throws {
        var builder = TrailerBuilder()
        try builder.add(name: "authorization".utf8.span, value: "a".utf8.span, isNeverIndexed: true)
        try builder.add(name: "content_length".utf8.span, value: "1".utf8.span, isNeverIndexed: false)
        let section = builder.section
        #expect(section.fields.map(\.known) == [.authorization, nil])
        #expect(section.fields.map(\.lookAlike) == [nil, .contentLength])
        #expect(section.fields.map(\.isNeverIndexed) == [true, false])
        builder.reset()
        let lines = builder.lines
        #expect(lines.isEmpty)
    }

    @Test func `an invalid trailer section is malformed`() {
        #expect(malformation([":status": "200"]) == .pseudoHeader)
        #expect(malformation(["A": "b"]) == .invalidField)
        #expect(malformation(["": "b"]) == .invalidField)
        #expect(malformation(["a": "b\r\nc: d"]) == .invalidField)
        for name in ["connection", "proxy-connection", "keep-alive", "transfer-encoding", "upgrade"] {
            #expect(malformation([name: "a"]) == .connectionField)
        }
    }

    @Test func `bytes above 0x7F are allowed only in trailer values`() throws {
        #expect(try build(["grpc-message": "\u{E9}"]) == Array("grpc-message: \u{E9}\r\n".utf8))
        #expect(malformation(["\u{E9}": "a"]) == .invalidField)
    }

    @Test func `trailers are counted and measured like those of a chunked body`() {
        let limits = ChunkLimits(trailers: 16, trailerFields: 2)
        #expect(malformation(["a": "b", "c": "d"], limits: limits) == nil)
        #expect(malformation(["a": "b", "c": "def"], limits: limits) == nil)
        #expect(malformation(["a": "b", "c": "defg"], limits: limits) == .sectionTooLarge)
        #expect(malformation(["a": "", "b": "", "c": ""], limits: ChunkLimits(trailerFields: 2)) == .tooManyFields)
    }
}
