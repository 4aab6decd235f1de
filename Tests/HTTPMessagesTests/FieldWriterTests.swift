import HTTPMessages
import Testing

struct FieldWriterTests {
    private func lines(_ writer: FieldWriter) -> [String] {
        writer.fields.map { field in
            let name = String(decoding: writer.bytes[field.name], as: UTF8.self)
            let value = String(decoding: writer.bytes[field.value], as: UTF8.self)
            return "\(name): \(value)\(field.isNeverIndexed ? " (never indexed)" : "")"
        }
    }

    @Test func `only the status and prepared fields are marked for the compression table`() throws {
        let fields: [(name: StaticString, value: [UInt8])] = [("vary", Array("Origin".utf8)), ("x-a", Array("b".utf8))]
        let prepared = try #require(PreparedFields(fields))
        var writer = FieldWriter()
        writer.statusLine(200)
        writer.field("vary", "Accept")
        writer.fields(prepared)
        #expect(lines(writer) == [":status: 200", "vary: Accept", "vary: Origin", "x-a: b"])
        #expect(writer.fields.map(\.isPrepared) == [true, false, true, true])
    }

    // MARK: The same calls for both

    /// A path that the gateway escapes before it is written.
    private struct UnescapedPath: Error {}

    /// Writes a request as the gateway does, in the same order.
    private func write(_ head: RequestHead, into output: inout some HeadOutput) throws {
        output.reset()
        let method = head.bytes.span.extracting(head.method)
        if let query = head.target.query {
            let path = head.bytes.span.extracting(head.target.path)
            let isWritten = output.requestLine(
                method: method, path: path, query: head.bytes.span.extracting(query),
                isNeverIndexed: head.target.isNeverIndexed)
            guard isWritten else { throw UnescapedPath() }
        } else {
            let target = head.bytes.span.extracting(head.target.bytes)
            let isWritten = output.requestLine(
                method: method, target: target, isNeverIndexed: head.target.isNeverIndexed)
            guard isWritten else { throw UnescapedPath() }
        }
        if let authority = head.authority {
            let isWritten = output.field(.host, head.bytes.span.extracting(authority.bytes))
            try #require(isWritten)
        }
        output.copy(head.section) {
            !($0.known?.isHopByHop ?? false) && $0.known != .host && $0.known != .contentLength
        }
        output.beginField(.xForwardedFor)
        let isWritten = output.valuePart("192.0.2.1".utf8.span)
        output.valuePart(", ")
        output.valuePart(7)
        output.endField()
        try #require(isWritten)
        output.field(.via, "2.0 bearward")
        output.field("X-Ours", 12)
        switch head.framing {
        case .none: break
        case .length(let length): output.field(.contentLength, length)
        case .chunked: output.field(.transferEncoding, "chunked")
        }
        output.field(.connection, "close")
        output.identityLines("X-Auth-Subject: alice\r\nX-Auth-Email: a%40b\r\n".utf8.span)
        output.finish()
    }

    /// Summary of the text, parsed again.
    private func parsed(_ writer: HeadWriter) throws -> SectionSummary {
        var parser = RequestHeadParser(limits: HeadLimits(fields: 200))
        let progress = try parser.parse(writer.bytes.span)
        try #require(progress == .complete)
        var summary = SectionSummary(parser.head)
        for index in summary.fields.indices {
            summary.fields[index].name = Array(
                String(decoding: summary.fields[index].name, as: UTF8.self).lowercased().utf8)
        }
        return summary
    }

    /// Summary of the fields, built again, without the field that only HTTP/2 has.
    private func built(_ writer: FieldWriter, endsStream: Bool) throws -> SectionSummary {
        var section = FieldSection(endsStream: endsStream)
        section.fields = writer.fields.map {
            .init(name: Array(writer.bytes[$0.name]), value: Array(writer.bytes[$0.value]))
        }
        let te = section.fields.popLast()
        #expect(te == .init(name: Array("te".utf8), value: Array("trailers".utf8)))
        var builder = RequestHeadBuilder(limits: HeadLimits(fields: 200))
        try builder.build(section)
        return SectionSummary(builder.head)
    }

    /// True if both writers accept the head; both or neither must.
    private func expectSame(_ head: RequestHead, _ text: inout HeadWriter, _ fields: inout FieldWriter) throws -> Bool {
        do {
            try write(head, into: &text)
        } catch is UnescapedPath {
            #expect(throws: UnescapedPath.self) { try write(head, into: &fields) }
            return false
        }
        try write(head, into: &fields)
        var expected = try parsed(text)
        // Only the text form says so.
        expected.keepsAlive = true
        let actual = try built(fields, endsStream: head.framing == .none || head.framing == .length(0))
        if expected.sorted != actual.sorted {
            Issue.record("\(String(decoding: head.bytes, as: UTF8.self).debugDescription)\n\(expected)\n\(actual)")
        }
        return true
    }

    @Test(arguments: 1...4)
    func `the HTTP/2 and HTTP/1.1 writers write equivalent requests`(seed: Int) throws {
        var text = HeadWriter()
        var fields = FieldWriter()
        var count = 0
        var sections = FieldSectionGrammar(seed: UInt64(seed))
        var heads = RequestGrammar(seed: UInt64(seed))
        var builder = RequestHeadBuilder()
        var parser = RequestHeadParser()
        for _ in 0..<1_000 {
            builder.reset()
            // A tunnel is a different request in each version.
            if (try? builder.build(sections.next())) != nil, !builder.asksForWebSocket {
                if try expectSame(builder.head, &text, &fields) { count += 1 }
            }
            parser.reset()
            let bytes = heads.next()
            // An absolute target is not forwarded as it is. Several cookie fields are crumbs in HTTP/2.
            if (try? parser.parse(bytes.span)) == .complete, parser.head.target.form != .absolute,
                parser.head.version == .http11,
                parser.head.count(of: .cookie) < 2
            {
                if try expectSame(parser.head, &text, &fields) { count += 1 }
            }
        }
        #expect(count > 600)
    }

    /// Writes a response as the gateway does.
    private func write(_ head: ResponseHead, into output: inout some HeadOutput) {
        output.reset()
        output.statusLine(of: head)
        output.copy(head.section) { !($0.known?.isHopByHop ?? false) && $0.known != .contentLength }
        if head.framing == .chunked { output.field(.transferEncoding, "chunked") }
        if case .length(let length) = head.framing { output.field(.contentLength, length) }
        output.finish()
    }

    @Test(arguments: 1...2)
    func `the HTTP/2 and HTTP/1.1 writers write equivalent responses`(seed: Int) throws {
        var grammar = ResponseSectionGrammar(seed: UInt64(seed))
        var text = HeadWriter()
        var fields = FieldWriter()
        var builder = ResponseHeadBuilder()
        for _ in 0..<1_000 {
            let (section, isHEAD) = grammar.next()
            builder.reset()
            guard (try? builder.build(section, toHEAD: isHEAD)) != nil, !builder.head.isGRPC else { continue }
            let head = builder.head
            write(head, into: &text)
            write(head, into: &fields)
            var parser = ResponseHeadParser()
            let progress = try parser.parse(text.bytes.span, requestMethodIsHEAD: isHEAD)
            try #require(progress == .complete)
            var expected = ResponseSectionVerdict.Summary(parser.head)
            // The handshake's key exists only in HTTP/1.1.
            expected.fields.removeAll { $0.known == .secWebSocketAccept }
            expected.keepsAlive = false
            var written = FieldSection(endsStream: section.endsStream)
            written.fields = fields.fields.map {
                .init(name: Array(fields.bytes[$0.name]), value: Array(fields.bytes[$0.value]))
            }
            builder.reset()
            try builder.build(written, toHEAD: isHEAD)
            let actual = ResponseSectionVerdict.Summary(builder.head)
            if actual != expected { Issue.record("\(section)\n\(expected)\n\(actual)") }
        }
    }

    // MARK: What HTTP/2 says otherwise

    @Test func `pseudo-header fields come first, wherever the host is written`() {
        var writer = FieldWriter(scheme: .http)
        _ = writer.requestLine(
            method: "GET".utf8.span, path: "/a".utf8.span, query: "b".utf8.span, isNeverIndexed: true)
        writer.field(.via, "a")
        _ = writer.field(.host, "a.example".utf8.span)
        writer.finish()
        #expect(
            lines(writer) == [
                ":method: GET", ":scheme: http", ":path: /a?b (never indexed)", ":authority: a.example", "via: a",
                "te: trailers",
            ])
        writer.reset()
        writer.scheme = .https
        _ = writer.requestLine(method: "OPTIONS".utf8.span, target: "*".utf8.span, isNeverIndexed: false)
        writer.finish()
        #expect(lines(writer) == [":method: OPTIONS", ":scheme: https", ":path: *", "te: trailers"])
    }

    @Test func `a status has three digits, and a tunnel's is 200 (RFC 8441 §5)`() throws {
        var writer = FieldWriter()
        for (status, text) in [(200, "200"), (101, "200"), (103, "103"), (7, "500")] {
            writer.reset()
            writer.statusLine(status)
            writer.finish()
            #expect(lines(writer) == [":status: \(text)"])
        }
        var parser = ResponseHeadParser()
        let text =
            "HTTP/1.1 101 A\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: a\r\nX: y\r\n\r\n"
        _ = try parser.parse(text.utf8.span, requestMethodIsHEAD: false)
        writer.reset()
        writer.statusLine(of: parser.head)
        writer.copy(parser.head.section) { _ in true }
        #expect(lines(writer) == [":status: 200", "x: y"])
    }

    @Test func `connection-specific fields are left out (RFC 9113 §8·2·2)`() {
        var writer = FieldWriter()
        for known in KnownField.allCases where known.isHopByHop {
            writer.field(known, "a")
            writer.field(known, 1)
            _ = writer.field(known, "a".utf8.span)
            writer.beginField(known)
            writer.valuePart("a")
            writer.endField()
            _ = writer.field("\(known.name)".lowercased().utf8.span, "a".utf8.span)
        }
        writer.field("cOnnection", "close")
        writer.field("Transfer-Encoding", "chunked")
        #expect(writer.fields.isEmpty)
        #expect(writer.bytes.isEmpty)
        writer.field("Server", "a")
        #expect(lines(writer) == ["server: a"])
    }

    @Test func `secrets and identity fields are never indexed (RFC 7541 §7·1·3)`() throws {
        var writer = FieldWriter()
        writer.field(.authorization, "a")
        writer.field("Set-Cookie", "a")
        _ = writer.field("cookie".utf8.span, "a".utf8.span)
        _ = writer.field(.secWebSocketProtocol, "bearer, a".utf8.span)
        _ = try writer.field(#require(FieldName("X-Auth-Subject")), "alice".utf8.span)
        writer.identityLines("X-Auth-Email: a\r\nX-B:  c \r\n".utf8.span)
        writer.field(.via, "a")
        #expect(
            lines(writer) == [
                "authorization: a (never indexed)", "set-cookie: a (never indexed)", "cookie: a (never indexed)",
                "sec-websocket-protocol: bearer, a (never indexed)",
                "x-auth-subject: alice (never indexed)", "x-auth-email: a (never indexed)", "x-b: c (never indexed)",
                "via: a",
            ])
    }

    @Test func `a field received as never indexed is forwarded as never indexed (RFC 7541 §6·2·3)`() throws {
        var section = FieldSection.get(["a": "b", "c": "d"])
        for index in [2, 4] { section.fields[index].isNeverIndexed = true }
        var builder = RequestHeadBuilder()
        try builder.build(section)
        var writer = FieldWriter()
        writer.statusLine(200)
        writer.copy(builder.head.section) { $0.known != .host }
        #expect(lines(writer) == [":status: 200", "a: b (never indexed)", "c: d"])
        writer.reset()
        let method = builder.head.bytes.span.extracting(builder.head.method)
        _ = writer.requestLine(method: method, target: "/".utf8.span, isNeverIndexed: false)
        writer.copy(builder.head.section) { _ in true }
        #expect(lines(writer)[3] == ":authority: a.example (never indexed)")
    }

    @Test func `T305 no byte that could end a line is written`() throws {
        var writer = FieldWriter()
        let name = try #require(FieldName("X"))
        for byte in UInt8.min...UInt8.max {
            let isAllowed = byte == 0x09 || byte >= 0x20 && byte != 0x7F
            let value = [UInt8(ascii: "a"), byte]
            writer.reset()
            writer.expect(isAllowed) { $0.field(.via, value.span) }
            writer.expect(isAllowed) { $0.field("X", value.span) }
            writer.expect(isAllowed) { $0.field(name, value.span) }
            writer.expect(isAllowed) { $0.field("x".utf8.span, value.span) }
            #expect(writer.fields.count == (isAllowed ? 4 : 0))
            writer.beginField(.via)
            writer.expect(isAllowed) { $0.valuePart(value.span) }
        }
        writer.reset()
        for target in ["", "/ x", "/\r\n", "/\u{E9}", "/#"] {
            writer.expect(false) {
                $0.requestLine(method: "GET".utf8.span, target: target.utf8.span, isNeverIndexed: false)
            }
            writer.expect(false) {
                $0.requestLine(
                    method: "GET".utf8.span, path: target.utf8.span, query: "".utf8.span, isNeverIndexed: false)
            }
        }
        for query in ["#", "a b", "\r\n"] {
            writer.expect(false) {
                $0.requestLine(
                    method: "GET".utf8.span, path: "/".utf8.span, query: query.utf8.span, isNeverIndexed: false)
            }
        }
        writer.expect(false) { $0.requestLine(method: "G T".utf8.span, target: "/".utf8.span, isNeverIndexed: false) }
        writer.expect(false) { $0.field("a b".utf8.span, "c".utf8.span) }
        #expect(writer.fields.isEmpty)
    }

    @Test func `trailers are written as fields without a first line`() {
        var writer = FieldWriter()
        for field in TrailerFields(Array("Grpc-Status: 0\r\nX:  a\r\n".utf8)) {
            _ = writer.field(field.name.span, field.value.span)
        }
        writer.finish()
        #expect(lines(writer) == ["grpc-status: 0", "x: a"])
        let sizes = writer.withFields { bytes, fields in (bytes.count, fields.count) }
        #expect(sizes == (14, 2))
    }
}

extension FieldWriter {
    /// Records an issue unless the writer accepts or refuses as expected, and writes nothing when it refuses.
    fileprivate mutating func expect(_ isWritten: Bool, _ write: (inout FieldWriter) -> Bool) {
        let before = bytes.count
        let result = write(&self)
        #expect(result == isWritten)
        #expect((bytes.count > before) == isWritten)
    }
}
