import Telemetry
import TestSupport
import Testing

struct SpanBatchTests {
    private static let context = TraceContext(TraceID(1, 2), SpanID(3), isSampled: true)

    /// A batch with one span whose attributes the closure writes.
    private func span(_ write: (inout SpanBatch) -> Void) throws -> DecodedSpan {
        var batch = SpanBatch()
        let span = batch.beginSpan(Self.context, under: nil, .server, from: 10, to: 20)
        write(&batch)
        batch.endSpan(span, isError: false)
        let (bytes, count) = batch.take()
        #expect(count == 1)
        #expect(batch.byteCount == 0 && batch.count == 0)
        let spans = try #require(DecodedSpan.all(in: bytes))
        #expect(spans.count == 1)
        return spans[0]
    }

    @Test func `a span has what was written, and spans follow each other`() throws {
        var batch = SpanBatch()
        let parent = SpanID(0xA)
        let first = batch.beginSpan(Self.context, under: parent, .server, from: 1_700_000_000_000_000_000, to: -5)
        batch.name(Array("GET".utf8).span, route: Array("/a/{b}".utf8))
        batch.attribute(.responseStatus, 503)
        let event = batch.beginEvent("authorize", at: 7)
        batch.attribute(.reason, "expired")
        batch.endEvent(event)
        batch.attribute(.scheme, "https")
        batch.link(to: TraceContext(TraceID(5, 6), SpanID(7), isSampled: false))
        batch.endSpan(first, isError: true)
        let second = batch.beginSpan(Self.context, under: nil, .client, from: 0, to: 1)
        batch.name(Array("HTTP".utf8).span)
        batch.endSpan(second, isError: false)
        let (bytes, count) = batch.take()
        #expect(count == 2)
        let spans = try #require(DecodedSpan.all(in: bytes))
        #expect(spans.map(\.name) == ["GET /a/{b}", "HTTP"])
        #expect(spans.map(\.kind) == [2, 3])
        #expect(spans.map(\.parent) == ["000000000000000a", ""])
        #expect(spans.map(\.trace) == Array(repeating: "00000000000000010000000000000002", count: 2))
        #expect(spans.map(\.span) == Array(repeating: "0000000000000003", count: 2))
        #expect(spans.map(\.isError) == [true, false])
        // A clock before 1970 counts as 1970.
        #expect(spans[0].start == 1_700_000_000_000_000_000 && spans[0].end == 0)
        #expect(spans[0].attributes == ["http.response.status_code": "503", "url.scheme": "https"])
        #expect(spans[0].events.count == 1)
        #expect(spans[0].events[0].name == "authorize" && spans[0].events[0].time == 7)
        #expect(spans[0].events[0].attributes == ["bearward.reason": "expired"])
        #expect(spans[0].links == ["00000000000000050000000000000006-0000000000000007"])
    }

    @Test func `each attribute has its own name`() throws {
        for name in SpanAttribute.allCases {
            #expect(try span { $0.attribute(name, "x") }.attributes == [name.name: "x"])
        }
        #expect(Set(SpanAttribute.allCases.map(\.name)).count == SpanAttribute.allCases.count)
    }

    @Test(arguments: [0, 1, 127, 128, 16_383, 16_384, 65_535, .max, -1, .min])
    func `numbers of every size are written`(number: Int) throws {
        #expect(try span { $0.attribute(.serverPort, number) }.attributes == ["server.port": "\(number)"])
    }

    @Test func `texts of every length are written, up to the bound`() throws {
        for length in Array(0...300) + [1023, 1024, 1025, 100_000] {
            let text = String(repeating: "a", count: length)
            let written = try span { $0.attribute(.path, text) }.attributes["url.path"]
            #expect(written == String(text.prefix(SpanBatch.longestText)))
        }
    }

    @Test func `bytes that are not UTF-8 are replaced, and no character is cut`() throws {
        for byte in UInt8.min...UInt8.max {
            let text = try #require(
                try span { $0.attribute(.userAgent, [0x61, byte, 0x62].span) }.attributes["user_agent.original"])
            #expect(text == String(decoding: [0x61, byte, 0x62], as: UTF8.self))
        }
        for start in 0..<4 {
            let long = Array((String(repeating: "a", count: start) + String(repeating: "😀ü", count: 400)).utf8)
            let text = try #require(try span { $0.attribute(.userAgent, long.span) }.attributes["user_agent.original"])
            #expect(text != "not UTF-8")
            #expect(text.utf8.count <= SpanBatch.longestText && text.utf8.count > SpanBatch.longestText - 8)
        }
        let invalid = [UInt8](repeating: 0xFF, count: 1024)
        let text = try #require(try span { $0.attribute(.userAgent, invalid.span) }.attributes["user_agent.original"])
        #expect(text.utf8.count <= SpanBatch.longestText && text.unicodeScalars.allSatisfy { $0 == "\u{FFFD}" })
    }

    @Test func `a name whose route is too long is the method alone`() throws {
        let route = [UInt8](repeating: 0x2F, count: SpanBatch.longestText)
        #expect(try span { $0.name(Array("GET".utf8).span, route: route) }.name == "GET")
        let shorter = [UInt8](repeating: 0x2F, count: SpanBatch.longestText - 4)
        #expect(try span { $0.name(Array("GET".utf8).span, route: shorter) }.name.utf8.count == 1024)
    }
}
