import NIOCore
import Testing

@testable import HTTP2Sessions

/// Size limits of field sections, and the effect of invalid ones.
struct FieldSectionTests {
    private static let small = HTTP2Limits(fieldSection: 1000, fields: 20)

    /// Size of the usual request: the values, and the line that `:authority` becomes.
    private static let usual = Wire.get.map { $0.1.utf8.count }.reduce("host: \r\n".utf8.count, +)

    @Test func `a field section of the limit is accepted, and one byte more is too large`() {
        let overhead = Self.usual + "x: \r\n".utf8.count
        for (length, isTooLarge) in [(1000 - overhead, false), (1001 - overhead, true)] {
            let server = ServerEnd(limits: Self.small)
            server.read(Wire.request(Wire.get + [("x", String(repeating: "a", count: length))]))
            #expect(server.events().first?.contains("too large") == isTooLarge)
        }
    }

    @Test func `a field section with too many fields is too large; of pseudo-header fields only the authority counts`()
    {
        for (count, isTooLarge) in [(19, false), (20, true)] {
            let server = ServerEnd(limits: Self.small)
            server.read(Wire.request(Wire.get + Array(repeating: ("x", ""), count: count)))
            #expect(server.events().first?.contains("too large") == isTooLarge)
        }
    }

    @Test func `a host field beside the authority counts as the same line, with the longer value`() {
        for (value, length) in [("api.example", Self.usual), ("api", Self.usual), ("api.example.com", Self.usual + 4)] {
            for (limit, isTooLarge) in [(length, false), (length - 1, true)] {
                let server = ServerEnd(limits: HTTP2Limits(fieldSection: limit, fields: 1))
                server.read(Wire.request(Wire.get + [("host", value)]))
                #expect(server.events().first?.contains("too large") == isTooLarge, "\(value)")
            }
        }
        let alone = ServerEnd(limits: HTTP2Limits(fieldSection: Self.usual, fields: 1))
        alone.read(Wire.request(Wire.get.dropLast() + [("host", "api.example")]))
        #expect(alone.events().first?.contains("too large") == false)
    }

    @Test(arguments: [(20, false), (21, true)])
    func `every further host field counts as a field`(_ count: Int, _ isTooLarge: Bool) {
        var table = FieldTable()
        for _ in 0..<count {
            _ = table.append("host".utf8.span, "a".utf8.span, isNeverIndexed: false, limits: Self.small)
        }
        #expect(table.isTooLarge == isTooLarge && table.entries.count == 20)
    }

    @Test func `T257 the crumbs of Cookie count as one field`() {
        for (others, isTooLarge) in [(18, false), (19, true)] {
            let server = ServerEnd(limits: HTTP2Limits(fieldSection: 10_000, fields: 20))
            let fields = Array(repeating: ("x", ""), count: others)
            server.read(Wire.request(Wire.get + fields + Array(repeating: ("cookie", "a=b"), count: 100)))
            #expect(server.events().first?.contains("too large") == isTooLarge)
        }
    }

    @Test(arguments: ["", "a=b"])
    func `T257 at most 256 cookie crumbs are accepted, and each counts its value plus 34 bytes`(_ crumb: String) {
        for (count, isTooLarge) in [(256, false), (257, true)] {
            let server = ServerEnd(limits: HTTP2Limits(fieldSection: 30_000, fields: 20))
            server.read(Wire.request(Wire.get + Array(repeating: ("cookie", crumb), count: count)))
            #expect(server.events().first?.contains("too large") == isTooLarge)
        }
        let section = Self.usual + 100 * (crumb.utf8.count + 34)
        for (limit, isTooLarge) in [(section, false), (section - 1, true)] {
            let server = ServerEnd(limits: HTTP2Limits(fieldSection: limit, fields: 20))
            server.read(Wire.request(Wire.get + Array(repeating: ("cookie", crumb), count: 100)))
            #expect(server.events().first?.contains("too large") == isTooLarge)
        }
    }

    @Test func `T257 a field section of far too many cookie crumbs gets no response`() {
        let server = ServerEnd(limits: HTTP2Limits(fieldSection: 1_000_000, fields: 20))
        server.read(Wire.request(Wire.get + Array(repeating: ("cookie", ""), count: 1025)))
        #expect(server.events().allSatisfy { !$0.contains("head") })
    }

    @Test func `a request with a too large field section is answered, and the connection stays open`() {
        let server = ServerEnd(limits: Self.small)
        server.read(
            Wire.request(Wire.post + [("x", String(repeating: "a", count: 3000))], ends: false)
                + Wire.request(stream: 3))
        #expect(
            server.events() == [
                "head 1 :method=POST :scheme=http :path=/a :authority=api.example too large",
                "head 3 :method=GET :scheme=http :path=/a :authority=api.example end",
            ])
        server.answer(1, status: 431)
        server.session.dismissUpload(of: server.stream(1))
        server.answer(3)
        let frames = server.frames()
        // The reset has no error, and comes after the end of the response.
        #expect(frames.filter { $0.stream == 1 }.map(\.type) == [1, 3])
        #expect(frames.first { $0.type == 3 }?.code == 0)
        #expect(server.events() == ["closed 3 complete", "closed 1 complete"] || server.session.streamCount == 0)
        // Late content is dropped.
        server.read(Wire.frame(.data, flags: 1, stream: 1, [1, 2, 3]) + Wire.ping())
        #expect(server.events().isEmpty)
        #expect(server.frames().map(\.type) == [6])
    }

    @Test func `the rest of an upload is discarded after an early response, too`() {
        let server = ServerEnd()
        server.read(Wire.request(Wire.post, ends: false))
        _ = server.events()
        server.answer(1, "no")
        #expect(server.frames().map(\.type) == [1, 0])
        server.session.dismissUpload(of: server.stream())
        #expect(server.frames().map { [UInt32($0.type), $0.code] } == [[3, 0]])
        #expect(server.events() == ["closed 1 complete"])
    }

    @Test func `a field section of more than four times the limit resets its stream, and the connection stays open`() {
        for fields in [[("x", String(repeating: "a", count: 4001))], Array(repeating: ("x", ""), count: 81)] {
            let server = ServerEnd(limits: Self.small)
            server.read(Wire.request(Wire.get + fields) + Wire.request(stream: 3))
            #expect(server.events() == ["head 3 :method=GET :scheme=http :path=/a :authority=api.example end"])
            #expect(server.frames().map { [UInt32($0.type), $0.stream, $0.code] } == [[3, 1, 11]])
            #expect(server.events() == ["refused 11"])
            #expect(server.session.streamCount == 1)
        }
    }

    @Test func `trailers have the same limits as heads`() {
        let server = ServerEnd(limits: Self.small)
        let long = { (count: Int) in
            Wire.frame(.headers, flags: 5, stream: 1, Wire.block([("x", String(repeating: "a", count: count))]))
        }
        server.read(Wire.request(Wire.post, ends: false) + long(2000))
        #expect(server.events().last == "trailers 1  too large")
        let other = ServerEnd(limits: Self.small)
        other.read(Wire.request(Wire.post, ends: false) + long(4001))
        #expect(other.events().count == 1)
        #expect(other.frames().map { [UInt32($0.type), $0.code] } == [[3, 11]])
        #expect(other.events() == ["closed 1 malformed 11"])
    }

    /// One field in the table, and many references to it, in frames of 16 KiB.
    private static func bomb(_ stream: UInt32, byteCount: Int) -> [UInt8] {
        let block = [0x40] + Wire.text([0x78]) + Wire.text([UInt8](repeating: 0x61, count: 2900))
        let usual = Wire.block(Wire.get)
        return Wire.cut(usual + block + [UInt8](repeating: 0xBE, count: byteCount), stream: stream)
    }

    @Test func `a small field section that decodes to a very large one is decoded only up to a limit`() {
        let server = ServerEnd()
        server.read(Self.bomb(1, byteCount: 147_452))
        // 4 × 32 KiB, of 2.9 KiB each.
        #expect(server.session.fieldCount < 60)
        #expect(server.frames().map { [UInt32($0.type), $0.code] } == [[3, 11]])
        #expect(server.events() == ["refused 11"])
        server.read(Wire.request(stream: 3))
        #expect(server.events().count == 1)
    }

    @Test func `a client that sends nothing but oversized field sections gets ENHANCE_YOUR_CALM`() {
        let server = ServerEnd()
        var count = 0
        while !server.session.hasFailed, count < 1000 {
            server.read(Self.bomb(UInt32(2 * count + 1), byteCount: 2000))
            _ = server.output()
            count += 1
        }
        #expect(count == 201)
        #expect(server.events().suffix(1) == ["failed 11"])
    }

    @Test func `a field section without end fails the connection`() {
        let server = ServerEnd()
        // An endless section without a single counted field: 1 MiB of table size updates.
        server.read(Wire.frame(.headers, stream: 1, [UInt8](repeating: 0x20, count: 16_384)))
        var count = 1
        while !server.session.hasFailed, count < 1000 {
            server.read(Wire.frame(.continuation, stream: 1, [UInt8](repeating: 0x20, count: 16_384)))
            count += 1
        }
        #expect(count <= 65)
        #expect(server.frames(.goAway).count == 1)
    }

    @Test(arguments: [0, 1]) func `a field section in too many frames fails the connection`(size: Int) {
        let server = ServerEnd()
        server.read(Wire.frame(.headers, stream: 1, Wire.block(Wire.get)))
        var count = 0
        while !server.session.hasFailed, count < 1000 {
            server.read(
                Wire.frame(
                    .continuation, stream: 1,
                    [UInt8](repeating: 0x20, count: 0) + Array(Wire.block([("x", "")]).prefix(size))))
            count += 1
        }
        #expect(count == 129)
        #expect(server.events() == ["failed 11"])
        #expect(server.frames().map { [UInt32($0.type), $0.code] } == [[7, 11]])
    }

    @Test func `a valid head of 17 KB in two frames may arrive byte by byte`() {
        let server = ServerEnd()
        let value = String(repeating: "v", count: 700)
        let fields = Wire.get + (0..<25).map { ("x-\($0)", value) }
        let bytes = Wire.cut(Wire.block(fields), stream: 1)
        #expect(Wire.frames(bytes).map(\.type) == [1, 9])
        for byte in bytes { server.read([byte]) }
        #expect(server.events().first?.contains("x-24=(700) end") == true)
        #expect(server.frames().isEmpty)
    }

    @Test func `a head near the limit may arrive in frames of 256 bytes`() {
        let server = ServerEnd()
        let fields = Wire.get + (0..<40).map { ("x-\($0)", String(repeating: "v", count: 700)) }
        for byte in Wire.cut(Wire.block(fields), stream: 1, size: 256) { server.read([byte]) }
        #expect(server.events().first?.contains("x-39=(700) end") == true)
    }

    @Test(arguments: [
        Wire.get + [("authorization", "Bearer a\u{1}")], Wire.get + [("a b", "c")], Wire.get + [("X-Upper", "c")],
        Wire.get + [("", "c")],
        Wire.get + [("x", "a\r\nb: c")], Wire.get + [("x", " a")], Wire.get + [("x", "a ")],
        Wire.get + [("x", "\u{7F}")],
        Wire.get + [("connection", "close")], Wire.get + [("te", "gzip")],
        Wire.get + [("transfer-encoding", "chunked")],
        Wire.get + [("content-length", "x")], Wire.get + [("content-length", "1"), ("content-length", "1")],
        Wire.get + [("x", "y"), (":path", "/")], Wire.get + [(":unknown", "y")], Wire.get + [(":path", "/b")],
        Array(Wire.get.dropFirst()),
        [(":method", "GET"), (":scheme", "http"), (":path", ""), (":authority", "a")],
        [(":method", "GET"), (":scheme", "http"), (":path", "a"), (":authority", "a")],
        [(":method", "CONNECT"), (":protocol", "websocket"), (":scheme", "http"), (":path", "/"), (":authority", "a")],
    ])
    func `a malformed request is reset, and nothing of it is reported`(fields: Wire.Fields) {
        let server = ServerEnd()
        server.read(Wire.request(fields) + Wire.request(stream: 3))
        #expect(server.events() == ["head 3 :method=GET :scheme=http :path=/a :authority=api.example end"])
        #expect(server.frames().map { [UInt32($0.type), $0.stream, $0.code] } == [[3, 1, 1]])
        #expect(server.events() == ["refused 1"])
    }

    @Test func `a request that only the gateway can judge is reported as it arrived`() {
        let server = ServerEnd()
        for (number, fields) in [
            [(":method", "get"), (":scheme", "http"), (":path", "/é"), (":authority", "a"), ("host", "b"), ("x", "é")],
            [(":method", "CONNECT"), (":authority", "a:1")],
            [(":method", "GET"), (":scheme", "http"), (":path", "/"), ("host", "b")],
            [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "u@h")],
        ].enumerated() {
            server.read(Wire.request(fields, stream: UInt32(2 * number + 1)))
            #expect(
                server.events() == [
                    "head \(2 * number + 1) " + fields.map { "\($0)=\($1)" }.joined(separator: " ") + " end"
                ])
        }
    }

    @Test func `content that does not match content-length resets the stream`() {
        let fields = Wire.post + [("content-length", "3")]
        for content in [Wire.frame(.data, flags: 1, stream: 1, [1, 2]), Wire.frame(.data, stream: 1, [1, 2, 3, 4])] {
            let server = ServerEnd()
            server.read(Wire.request(fields, ends: false) + content)
            let events = server.events()
            #expect(events.count <= 2 && !events.contains { $0.hasSuffix("end") })
            #expect(server.frames().map { [UInt32($0.type), $0.code] } == [[3, 1]])
            #expect(server.events() == ["closed 1 malformed 1"])
        }
    }

    @Test func `a response head that is too large to send is reported, and another can be sent instead`() {
        let server = ServerEnd()
        server.read(Wire.request())
        _ = server.events()
        let long = OutgoingFields([(":status", "200"), ("x", String(repeating: "a", count: 3 << 20))])
        server.session.submitHead(long, to: server.stream(), endsStream: true)
        #expect(server.frames().isEmpty)
        #expect(server.events() == ["not sent 1"])
        server.answer(1, status: 502)
        #expect(server.frames().map(\.type) == [1])
        #expect(server.events() == ["closed 1 complete"])
    }

    @Test func `a head beyond nghttp2's own limit is sent`() {
        let pair = Connection(client: HTTP2Limits(fieldSection: 300_000))
        pair.client.request()
        pair.exchange()
        let value = String(repeating: "a", count: 60_000)
        let fields = OutgoingFields([(":status", "200")] + (0..<4).map { ("x-\($0)", value) })
        pair.server.session.submitHead(fields, to: pair.server.stream(), endsStream: true)
        #expect(pair.exchange().client.first?.hasPrefix("head 1 :status=200 x-0=(60000)! x-1=(60000)!") == true)
    }
}
