import HTTPMessages
import Testing

struct RequestHeadParserTests {
    @Test(arguments: RequestCases.all)
    func `a request head has the verdict of its threat case`(_ request: RequestCase) {
        let verdict = RequestVerdict(request.bytes)
        #expect(verdict.rejection == request.rejection)
        if request.rejection == nil { #expect(verdict.summary != nil) }
    }

    @Test(arguments: RequestCases.all)
    func `T247 the verdict is the same however the head is split`(_ request: RequestCase) {
        let whole = RequestVerdict(request.bytes)
        #expect(RequestVerdict.byteByByte(request.bytes) == whole)
        for first in 0...request.bytes.count {
            #expect(RequestVerdict(request.bytes, endingPieces: [first]) == whole, "split after \(first) bytes")
        }
    }

    @Test(arguments: RequestCases.all.filter { $0.rejection == nil })
    func `a head cut short at any byte is neither complete nor refused`(_ request: RequestCase) {
        for count in 0..<request.bytes.count {
            #expect(RequestVerdict(Array(request.bytes.prefix(count))) == .needsMore, "\(count) bytes")
        }
    }

    @Test(arguments: RequestCases.all)
    func `bytes after a head do not change its verdict`(_ request: RequestCase) {
        guard let summary = RequestVerdict(request.bytes).summary else { return }
        for rest in ["\r\n", "\n\0", "GET / HTTP/1.1\r\nHost: b\r\n\r\n"] {
            #expect(RequestVerdict(request.bytes + Array(rest.utf8)) == .complete(summary))
        }
    }

    @Test func `a head is exchanged as a whole, and the next is parsed as if it were the first`() throws {
        var parser = RequestHeadParser()
        var head = parser.head
        for text in [
            "GET /first?q HTTP/1.1\r\nHost: one.example\r\nX-Longer: value\r\n\r\n",
            "POST /2 HTTP/1.0\r\nContent-Length: 0\r\n\r\n",
            "OPTIONS * HTTP/1.1\r\nHost: three\r\n\r\n",
        ] {
            let bytes = Array(text.utf8)
            let progress = try parser.parse(bytes.span)
            #expect(progress == .complete)
            parser.exchange(for: &head)
            #expect(RequestSummary(head) == RequestVerdict(bytes).summary)
        }
    }

    @Test func `every part of a parsed head can be read by name`() throws {
        let text =
            "\r\nPOST /a/b?c=d?e HTTP/1.1\r\nhOST: API.example:8080\r\nContent-Length:\t42 \r\nX-Empty:\r\n"
            + "Expect: 100-continue\r\n\r\nbody"
        let summary = try #require(RequestVerdict(text).summary)
        #expect(summary.method == "POST")
        #expect(summary.target == "/a/b?c=d?e")
        #expect(summary.path == "/a/b")
        #expect(summary.query == "c=d?e")
        #expect(summary.form == .origin)
        #expect(summary.version == .http11)
        #expect(summary.host == "API.example")
        #expect(summary.port == 8080)
        #expect(summary.framing == .length(42))
        #expect(summary.keepsAlive)
        #expect(summary.expectsContinue)
        #expect(summary.byteCount == text.utf8.count - 4)
        #expect(
            summary.fields == [
                .init(name: "hOST", value: "API.example:8080"), .init(name: "Content-Length", value: "42"),
                .init(name: "X-Empty", value: ""), .init(name: "Expect", value: "100-continue"),
            ])
    }

    @Test func `the path and query of an absolute target exclude scheme and authority`() throws {
        let summary = try #require(RequestVerdict("GET http://[::1]:81/a?b HTTP/1.1\r\nHost: [::1]:81\r\n\r\n").summary)
        #expect(summary.form == .absolute)
        #expect(summary.path == "/a")
        #expect(summary.query == "b")
        #expect(summary.host == "[::1]")
        #expect(summary.port == 81)
        let bare = try #require(RequestVerdict("GET http://a.example HTTP/1.0\r\n\r\n").summary)
        #expect(bare.path == "")
        #expect(bare.query == nil)
        #expect(bare.host == "a.example")
        let query = try #require(RequestVerdict("GET http://a.example?b HTTP/1.0\r\n\r\n").summary)
        #expect(query.path == "")
        #expect(query.query == "b")
    }

    @Test func `an empty query differs from an absent one`() throws {
        #expect(try #require(RequestVerdict("GET /? HTTP/1.0\r\n\r\n").summary).query == "")
        #expect(try #require(RequestVerdict("GET / HTTP/1.0\r\n\r\n").summary).query == nil)
        let asterisk = try #require(RequestVerdict("OPTIONS * HTTP/1.0\r\n\r\n").summary)
        #expect(asterisk.form == .asterisk)
        #expect(asterisk.path == "*")
    }

    @Test func `a chunked request has chunked framing`() throws {
        let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n"
        #expect(try #require(RequestVerdict(head).summary).framing == .chunked)
    }

    @Test(arguments: [
        ("HTTP/1.1", "", true), ("HTTP/1.1", "Connection: close\r\n", false),
        ("HTTP/1.1", "Connection: close\t\r\n", false),
        ("HTTP/1.1", "Connection: keep-alive, close\r\n", false), ("HTTP/1.1", "Connection: close, close\r\n", false),
        ("HTTP/1.1", "Connection: CLOSE\r\nConnection: keep-alive\r\n", false),
        ("HTTP/1.1", "Connection: closer\r\n", true),
        ("HTTP/1.0", "", false), ("HTTP/1.0", "Connection: Keep-Alive\r\n", true),
        ("HTTP/1.0", "Connection: keep-alive, close\r\n", false),
    ])
    func `T240 and T241 the connection stays open only if version and Connection options allow it`(
        version: String, line: String, keepsAlive: Bool
    ) throws {
        let summary = try #require(RequestVerdict("GET / \(version)\r\nHost: a\r\n\(line)\r\n").summary)
        #expect(summary.keepsAlive == keepsAlive)
    }

    @Test func `in HTTP 1_0, 100-continue is ignored, and any other expectation is refused`() throws {
        let expecting = "POST / HTTP/1.0\r\nExpect: 100-continue\r\n\r\n"
        #expect(try #require(RequestVerdict(expecting).summary).expectsContinue == false)
        #expect(RequestVerdict("POST / HTTP/1.0\r\nExpect: x\r\n\r\n") == .rejected(.expectationFailed))
    }

    @Test func `T218 each byte in a name is either a token character or refused`() {
        let token = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        for byte in UInt8.min...UInt8.max {
            let expected: RequestHeadRejection? =
                switch byte {
                case _ where token.contains(byte): nil
                case 0x0A: .field(.bareLineFeed)
                case 0x0D: .field(.bareCarriageReturn)
                case 0x3A: nil
                case 0x09, 0x20...0x7E: .field(.invalidFieldName)
                case 0x80...: .field(.invalidFieldName)
                default: .field(.controlByte)
                }
            let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\nX".utf8) + [byte] + Array("Y: z\r\n\r\n".utf8)
            #expect(RequestVerdict(bytes).rejection == expected, "byte \(byte)")
            #expect(RequestVerdict.byteByByte(bytes).rejection == expected, "byte \(byte)")
        }
    }

    @Test func `T218 each byte in a value is either allowed or refused`() {
        for byte in UInt8.min...UInt8.max {
            let expected: RequestHeadRejection? =
                switch byte {
                case 0x09, 0x20...0x7E, 0x80...: nil
                case 0x0A: .field(.bareLineFeed)
                case 0x0D: .field(.bareCarriageReturn)
                default: .field(.controlByte)
                }
            // Every offset within a word of eight bytes, and after a tab.
            for padding in 0..<9 {
                let before = Array(repeating: UInt8(ascii: padding.isMultiple(of: 2) ? "x" : "\t"), count: padding)
                let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\nX: a".utf8) + before + [byte] + Array("b\r\n\r\n".utf8)
                #expect(RequestVerdict(bytes).rejection == expected, "byte \(byte)")
            }
        }
    }

    @Test func `T226 each byte in a target is either allowed or refused`() {
        for (path, isQuery) in [("/a", false), ("/a?", true)] {
            for byte in UInt8.min...UInt8.max {
                let expected: RequestHeadRejection? =
                    switch byte {
                    case 0x23: .fragmentInTarget
                    case 0x21...0x7E: nil
                    case 0x09, 0x20: .malformedRequestLine
                    case 0x0A: .field(.bareLineFeed)
                    case 0x0D: .field(.bareCarriageReturn)
                    // The canonical form of the path reports bytes that are not UTF-8.
                    case 0x80...: isQuery ? .queryNotUTF8 : nil
                    default: .field(.controlByte)
                    }
                let bytes = Array("GET \(path)".utf8) + [byte] + Array("b HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
                #expect(RequestVerdict(bytes).rejection == expected, "byte \(byte)")
            }
        }
    }

    @Test func `T218 each first byte that cannot begin a method is refused without waiting`() {
        let token = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        for byte in UInt8.min...UInt8.max {
            let expected: RequestVerdict =
                switch byte {
                case _ where token.contains(byte) || byte == 0x0D: .needsMore
                case 0x0A: .rejected(.field(.bareLineFeed))
                case 0x20...0x7E: .rejected(.invalidMethod)
                case 0x80...: .rejected(.field(.nonASCIIByte))
                case 0x09: .needsMore
                default: .rejected(.field(.controlByte))
                }
            #expect(RequestVerdict([byte]) == expected, "byte \(byte)")
        }
    }

    @Test func `a rejection of a request is repeated until the parser is reset`() throws {
        var parser = RequestHeadParser()
        let bad = Array("GET / HTTP/1.1\n".utf8)
        #expect(throws: RequestHeadRejection.field(.bareLineFeed)) { try parser.parse(bad.span) }
        let good = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        #expect(throws: RequestHeadRejection.field(.bareLineFeed)) { try parser.parse(good.span) }
        parser.reset()
        let progress = try parser.parse(good.span)
        #expect(progress == .complete)
        let again = try parser.parse(good.span)
        #expect(again == .complete)
    }

    @Test func `no state of one request head is left in the next`() throws {
        var parser = RequestHeadParser()
        let lines = "Host: a\r\nConnection: close, X\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"
        let first = Array("POST http://a/ HTTP/1.1\r\n\(lines)".utf8)
        _ = try parser.parse(first.span)
        for release in [false, true] {
            if release { parser.releaseStorage() } else { parser.reset() }
            let second = Array("GET /b HTTP/1.0\r\nX: y\r\n\r\n".utf8)
            _ = try parser.parse(second.span)
            #expect(RequestVerdict(second) == .complete(RequestSummary(parser.head)))
            #expect(parser.head.authority == nil)
            #expect(!parser.head.expectsContinue)
            #expect(!parser.head.contains(.connection))
            #expect(!parser.head.isNominated(try #require(parser.head.fields.first)))
        }
    }

    @Test func `a copied head stays unchanged when the parser continues`() throws {
        var parser = RequestHeadParser()
        let bytes = Array("GET /first HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        _ = try parser.parse(bytes.span)
        let head = parser.head
        parser.reset()
        _ = try parser.parse(Array("GET /second HTTP/1.1\r\nHost: b\r\n\r\n".utf8).span)
        #expect(head.string(head.target.path) == "/first")
        #expect(head.bytes == bytes)
    }

    @Test func `the parser waits if it gets fewer bytes than before`() throws {
        var parser = RequestHeadParser()
        let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        _ = try parser.parse(bytes.span.extracting(first: 20))
        let progress = try parser.parse(bytes.span.extracting(first: 3))
        #expect(progress == .needsMore)
    }

    @Test(arguments: RequestCases.rejections)
    func `each request rejection has one of the documented statuses`(_ rejection: RequestHeadRejection) {
        #expect([400, 405, 414, 417, 431, 501, 505].contains(rejection.fault.status.rawValue))
    }

    @Test func `rejections with a more specific status than 400 have it`() {
        #expect(RequestHeadRejection.targetTooLong.fault.status.rawValue == 414)
        #expect(RequestHeadRejection.field(.headTooLarge).fault.status.rawValue == 431)
        #expect(RequestHeadRejection.field(.authorizationTooLong).fault.status.rawValue == 431)
        #expect(RequestHeadRejection.field(.transferCodingNotSupported).fault.status.rawValue == 501)
        #expect(RequestHeadRejection.versionNotSupported.fault.status.rawValue == 505)
        #expect(RequestHeadRejection.expectationFailed.fault.status.rawValue == 417)
        #expect(RequestHeadRejection.methodNotAllowed.fault.status.rawValue == 405)
        #expect(RequestHeadRejection.field(.transferEncodingWithContentLength).fault.status.rawValue == 400)
    }
}
