import NIOCore
import Testing

@testable import HTTP2Sessions

struct ServerSessionTests {
    private static let head = "head 1 :method=GET :scheme=http :path=/a :authority=api.example"

    @Test func `a server session begins with its settings and the window of the connection`() {
        let server = ServerEnd(webSockets: true, begins: false)
        let frames = server.frames()
        #expect(frames.map(\.type) == [4, 8])
        #expect(
            frames.first?.payload
                == [0, 3, 0, 0, 0, 100, 0, 9, 0, 0, 0, 1, 0, 8, 0, 0, 0, 1, 0, 4, 0, 0, 255, 255, 0, 6, 0, 0, 128, 0])
        #expect(frames.last?.payload == Wire.word(256 * 1024 - 65_535))
    }

    @Test func `a request without content is reported as a head, and its response ends the stream`() {
        let server = ServerEnd()
        server.read(Wire.request())
        #expect(server.events() == [Self.head + " end"])
        server.answer(1, "hello")
        #expect(server.frames().map { [$0.type, $0.flags] } == [[1, 4], [0, 1]])
        #expect(server.events() == ["closed 1 complete"])
    }

    @Test func `content and trailers are reported in the order of their frames`() {
        let server = ServerEnd()
        server.read(
            Wire.request(Wire.post, ends: false) + Wire.frame(.data, stream: 1, Array("one".utf8))
                + Wire.request(stream: 3) + Wire.frame(.data, flags: 8, stream: 1, [2] + Array("two".utf8) + [0, 0])
                + Wire.frame(.headers, flags: 5, stream: 1, Wire.block([("grpc-status", "0")])))
        #expect(
            server.events() == [
                "head 1 :method=POST :scheme=http :path=/a :authority=api.example", "data 1 one",
                "head 3 :method=GET :scheme=http :path=/a :authority=api.example end", "data 1 two",
                "trailers 1 grpc-status=0",
            ])
    }

    @Test(arguments: [[UInt8](), Array("x".utf8)]) func `the last data frame is reported as the end`(
        content: [UInt8]
    ) {
        let server = ServerEnd()
        server.read(Wire.request(Wire.post, ends: false) + Wire.frame(.data, flags: 1, stream: 1, content))
        #expect(server.events().last == "data 1 \(String(decoding: content, as: UTF8.self)) end")
    }

    @Test func `reported content is a slice of the read buffer, not a copy`() throws {
        let server = ServerEnd()
        let bytes = ByteBuffer(
            bytes: [7, 7] + Wire.request(Wire.post, ends: false) + Wire.frame(.data, stream: 1, [1, 2, 3]))
        server.read(try #require(bytes.getSlice(at: 2, length: bytes.readableBytes - 2)))
        _ = server.session.nextEvent()
        guard case .data(_, let content, _) = server.session.nextEvent() else { throw Missing() }
        #expect(Array(content.readableBytesView) == [1, 2, 3])
        let end = unsafe bytes.withUnsafeReadableBytes { UInt(bitPattern: $0.baseAddress) } + UInt(bytes.readableBytes)
        #expect(unsafe content.withUnsafeReadableBytes { UInt(bitPattern: $0.baseAddress) } == end - 3)
    }

    @Test func `the same events are reported however the bytes are split`() {
        let bytes =
            Wire.request(Wire.post + [("x", "y")], ends: false) + Wire.frame(.data, stream: 1, Array("ab".utf8))
            + Wire.frame(.data, flags: 1, stream: 1) + Wire.ping()
        for cut in bytes.indices.dropFirst() {
            let server = ServerEnd()
            server.read(Array(bytes[..<cut]))
            server.read(Array(bytes[cut...]))
            let text = server.events().joined(separator: ";").replacing("data 1 a;data 1 b", with: "data 1 ab")
            let (expected, other) = ("data 1 ab end", "data 1 ab;data 1  end")
            let head = "head 1 :method=POST :scheme=http :path=/a :authority=api.example x=y;"
            #expect(text == head + expected || text == head + other, "cut at \(cut)")
            #expect(server.frames(.ping).count == 1)
        }
    }

    @Test func `an interim response is sent before the final one, and trailers after the content`() {
        let server = ServerEnd()
        server.read(Wire.request())
        _ = server.events()
        server.session.submitInterim(.init([(":status", "103"), ("link", "</a>")]), to: server.stream())
        server.session.submitHead(.init([(":status", "200")]), to: server.stream(), endsStream: false)
        server.session.append(ByteBuffer(string: "x"), to: server.stream())
        server.session.end(server.stream(), trailers: .init([("grpc-status", "0")]))
        #expect(server.frames().map { [$0.type, $0.flags] } == [[1, 4], [1, 4], [0, 0], [1, 5]])
        #expect(server.events() == ["closed 1 complete"])
    }

    @Test func `trailers can follow a head without content`() {
        let server = ServerEnd()
        server.read(Wire.request())
        _ = server.events()
        server.session.submitHead(.init([(":status", "200")]), to: server.stream(), endsStream: false)
        server.session.end(server.stream(), trailers: .init([("grpc-status", "0")]))
        let frames = server.frames()
        #expect(frames.filter { $0.type == 1 }.map(\.flags) == [4, 5])
        #expect(frames.allSatisfy { $0.payload.count > 0 || $0.type != 0 })
    }

    @Test func `content queued later is sent later`() {
        let server = ServerEnd()
        server.read(Wire.request())
        _ = server.events()
        server.session.submitHead(.init([(":status", "200")]), to: server.stream(), endsStream: false)
        #expect(server.frames().map(\.type) == [1])
        #expect(!server.session.wantsOutput)
        for text in ["a", "b"] {
            server.session.append(ByteBuffer(string: text), to: server.stream())
            #expect(server.session.queuedByteCount(of: server.stream()) == 1)
            #expect(server.frames() == [.init(type: 0, stream: 1, payload: Array(text.utf8))])
            #expect(server.session.queuedByteCount(of: server.stream()) == 0)
        }
        server.session.end(server.stream())
        #expect(server.frames() == [.init(type: 0, flags: 1, stream: 1)])
    }

    @Test func `names are sent in lower case, secrets are never indexed, and requests use no dynamic table`() {
        let pair = Connection()
        pair.client.request(.init(Wire.get + [("Authorization", "Bearer a"), ("X-A", "b")], secret: ["Authorization"]))
        #expect(pair.exchange().server == ["settings", Self.head + " authorization=Bearer a! x-a=b end"])
        let fields = OutgoingFields([(":status", "200"), ("X-Id", "c"), ("x-b", "d")], secret: ["X-Id"])
        pair.server.session.submitHead(fields, to: pair.server.stream(), endsStream: true)
        #expect(pair.exchange().client == ["head 1 :status=200 x-id=c! x-b=d! end", "closed 1 complete"])
        // The same fields take the same number of bytes again: neither end uses the table.
        let sizes = (0..<3).map { _ in
            pair.client.request(.init(Wire.get + [("x-a", "b")]))
            let bytes = pair.client.output()
            pair.server.read(bytes)
            return bytes.count
        }
        #expect(Set(sizes).count == 1)
    }

    /// Sizes in bytes of a request and its response.
    private func sizes(_ pair: Connection, _ fields: Wire.Fields, indexed: Set<String>) throws -> (
        request: Int, response: Int
    ) {
        let number = try #require(pair.client.request(.init(Wire.get + fields, indexed: indexed)))
        let request = pair.client.output()
        pair.server.read(request)
        _ = pair.server.events()
        let head = OutgoingFields([(":status", "200")] + fields, indexed: indexed)
        #expect(pair.server.session.submitHead(head, to: pair.server.stream(number), endsStream: true))
        let response = pair.server.output()
        pair.client.read(response)
        let text = fields.map { "\($0)=\($1)\(indexed.contains($0) ? "" : "!")" }.joined(separator: " ")
        #expect(pair.client.events() == ["head \(number) :status=200 \(text) end", "closed \(number) complete"])
        return (request.count, response.count)
    }

    @Test func `only indexable response fields enter the dynamic table, and no request fields`() throws {
        let pair = Connection()
        _ = pair.exchange()
        let fields: Wire.Fields = [("vary", "origin of the page"), ("x-b", "of this one")]
        // The first sections also say how large the tables are (RFC 7541 §6.3).
        _ = try sizes(pair, fields, indexed: [])
        let literal = try (0..<2).map { _ in try sizes(pair, fields, indexed: []) }
        #expect(literal[0] == literal[1])
        let indexed = try (0..<3).map { _ in try sizes(pair, fields, indexed: ["vary"]) }
        #expect(indexed.allSatisfy { $0.request == literal[0].request })
        #expect(indexed[1].response < indexed[0].response - 10)
        #expect(indexed[1].response == indexed[2].response)
    }

    @Test func `the dynamic table for responses is bounded, and drops rarely sent fields`() throws {
        let pair = Connection()
        _ = pair.exchange()
        let first: Wire.Fields = [("vary", "origin of the page")]
        let many = (0..<40).map { ("x-\($0)", "a value of its own") }
        let before = try (0..<2).map { _ in try sizes(pair, first, indexed: ["vary"]).response }
        _ = try sizes(pair, many, indexed: Set(many.map(\.0)))
        let after = try sizes(pair, first, indexed: ["vary"]).response
        #expect(before[1] < before[0])
        #expect(after > before[1])
    }

    @Test(arguments: [
        ("x", "a\r\nb"), ("x", "a\nb"), ("x", "a\0b"), ("x y", "a"), ("x:", "a"), ("", "a"), ("x\u{7F}", "a"),
        ("x\n", "a"),
    ])
    func `a field section with an invalid field is not sent at all`(name: String, value: String) {
        let server = ServerEnd()
        server.read(Wire.request())
        _ = server.events()
        let fields = OutgoingFields([(":status", "200"), (name, value)])
        #expect(!fields.isLawful)
        #expect(!server.session.submitHead(fields, to: server.stream(), endsStream: true))
        #expect(!server.session.submitInterim(fields, to: server.stream()))
        #expect(server.frames().isEmpty)
    }

    @Test func `a field section taken over as one block is sent unchanged, unless it could end a line`() {
        let text = Array("x-a1x-btwo".utf8)
        var fields = OutgoingFields()
        fields.append(":status", "500")
        let places = [
            (name: 4..<7, value: 7..<10, indexing: FieldIndexing.never),
            (name: 0..<3, value: 3..<4, indexing: .indexed),
        ]
        fields.take(text.span, count: 2) { places[$0] }
        #expect(fields.isLawful)
        #expect(fields.bytes == text)
        #expect(fields.entries.map { [$0.nameStart, $0.nameEnd, $0.valueEnd] } == [[4, 7, 10], [0, 3, 4]])
        #expect(fields.entries.map(\.indexing) == [.never, .indexed])
        for byte in [UInt8(0), 0x0A, 0x0D] {
            var wrong = text
            wrong[8] = byte
            fields.take(wrong.span, count: 2) { places[$0] }
            #expect(!fields.isLawful)
        }
        for place in [
            (name: 4..<7, value: 7..<11, indexing: FieldIndexing.without),
            (name: 4..<6, value: 7..<9, indexing: .without),
            (name: -1..<4, value: 4..<9, indexing: .without), (name: 4..<4, value: 4..<9, indexing: .without),
        ] {
            fields.take(text.span, count: 1) { _ in place }
            #expect(!fields.isLawful)
        }
    }

    @Test func `a closed stream ignores all further calls`() {
        let server = ServerEnd()
        server.read(Wire.request() + Wire.reset(1))
        #expect(server.events() == [Self.head + " end", "closed 1 by peer 8"])
        server.answer(1, "late")
        server.session.consume(server.stream(), 5)
        server.session.reset(server.stream(), .cancel)
        server.session.dismissUpload(of: server.stream())
        #expect(server.frames().isEmpty)
    }

    @Test func `a slot is reused, and an old handle does not reach the new stream`() {
        let server = ServerEnd()
        server.read(Wire.request() + Wire.reset(1) + Wire.request(stream: 3))
        _ = server.events()
        // Not before its end was reported: later events would be taken for the new stream's.
        #expect(server.stream(1).slot != server.stream(3).slot)
        server.read(Wire.request(stream: 5))
        _ = server.events()
        #expect(server.stream(1).slot == server.stream(5).slot)
        server.session.reset(server.stream(1), .cancel)
        #expect(server.frames().isEmpty)
        server.session.reset(server.stream(3), .cancel)
        #expect(server.frames() == [.init(type: 3, stream: 3, payload: Wire.word(8))])
        #expect(server.events() == ["closed 3 reset 8"])
    }
}

struct Missing: Error {}
