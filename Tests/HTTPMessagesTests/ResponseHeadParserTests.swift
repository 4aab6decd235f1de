import HTTPMessages
import Testing

struct ResponseHeadParserTests {
    struct Case: Sendable, CustomStringConvertible {
        var name: String
        var bytes: [UInt8]
        var rejection: ResponseHeadRejection?

        init(_ name: String, _ text: String, _ rejection: ResponseHeadRejection?) {
            self.name = name
            bytes = Array(text.utf8)
            self.rejection = rejection
        }

        static func line(_ name: String, _ line: String, _ rejection: ResponseHeadRejection?) -> Case {
            Case(name, "HTTP/1.1 200 OK\r\n\(line)\r\n\r\n", rejection)
        }

        static func status(_ name: String, _ line: String, _ rejection: ResponseHeadRejection?) -> Case {
            Case(name, "\(line)\r\nX: y\r\n\r\n", rejection)
        }

        var description: String { name }
    }

    static let cases: [Case] = [
        .status("T321 no reason", "HTTP/1.1 200 ", nil),
        .status("T321 neither reason nor space", "HTTP/1.1 200", nil),
        .status("T321 obs-text in the reason", "HTTP/1.1 200 Ü", nil),
        .status("T321 two digits", "HTTP/1.1 20 OK", .malformedStatusLine),
        .status("T321 1000", "HTTP/1.1 1000 OK", .malformedStatusLine),
        .status("T321 negative", "HTTP/1.1 -20 OK", .malformedStatusLine),
        .status("T321 099", "HTTP/1.1 099 OK", .invalidStatus),
        .status("T321 600", "HTTP/1.1 600 OK", .invalidStatus),
        .status("T321 599", "HTTP/1.1 599 ", nil),
        .status("T321 HTTP/3.0", "HTTP/3.0 200 OK", .versionNotSupported),
        .status("T321 HTTP/0.9", "HTTP/0.9 200 OK", .versionNotSupported),
        .status("T321 lower case", "http/1.1 200 OK", .malformedStatusLine),
        .status("T321 another protocol", "ICY 200 OK over there", .malformedStatusLine),
        .status("T321 a tab", "HTTP/1.1\t200 OK", .malformedStatusLine),
        .status("T321 two spaces", "HTTP/1.1  200 OK", .malformedStatusLine),
        .status("T321 a space first", " HTTP/1.1 200 OK", .malformedStatusLine),
        .status("T321 a tab after the status", "HTTP/1.1 200\tOK", .malformedStatusLine),
        Case("T321 a blank line first", "\r\nHTTP/1.1 200 OK\r\n\r\n", .malformedStatusLine),
        Case("T321 CR after the status line", "HTTP/1.1 200 OK\rX: y\r\n\r\n", .field(.bareCarriageReturn)),
        Case("T321 LF after the status line", "HTTP/1.1 200 OK\nX: y\r\n\r\n", .field(.bareLineFeed)),
        Case("T321 LF after a field", "HTTP/1.1 200 OK\r\nX: y\n\r\n", .field(.bareLineFeed)),
        Case("T321 LF as the blank line", "HTTP/1.1 200 OK\r\nX: y\r\n\n", .field(.bareLineFeed)),
        Case("T321 NUL in the reason", "HTTP/1.1 200 \0\r\n\r\n", .field(.controlByte)),
        .line("a fold", "X: y\r\n z", .field(.foldedField)),
        .line("a space before the colon", "X : y", .field(.whitespaceBeforeColon)),
        .line("no colon", "X", .field(.missingColon)),
        .line("an empty name", ": y", .field(.emptyFieldName)),
        .line("a separator in a name", "X(: y", .field(.invalidFieldName)),
        .line("obs-text in a name", "Ü: y", .field(.invalidFieldName)),
        .line("obs-text in a value", "X: Ü", nil),
        .line("a control byte in a value", "X: \u{1}", .field(.controlByte)),
        .line("DEL in a value", "X: \u{7F}", .field(.controlByte)),
        .line(
            "T322 length and chunked", "Content-Length: 5\r\nTransfer-Encoding: chunked",
            .field(.transferEncodingWithContentLength)),
        .line("T322 two lengths", "Content-Length: 5\r\nContent-Length: 5", .field(.repeatedContentLength)),
        .line("T322 a list of lengths", "Content-Length: 5, 5", .field(.malformedContentLength)),
        .line("T322 a huge length", "Content-Length: 9223372036854775808", .field(.contentLengthTooLarge)),
        .line("T322 gzip", "Transfer-Encoding: gzip", .field(.transferCodingNotSupported)),
        .line("T322 gzip, chunked", "Transfer-Encoding: gzip, chunked", .field(.transferCodingNotSupported)),
        .line("T322 chunked twice", "Transfer-Encoding: chunked, chunked", .field(.malformedTransferEncoding)),
        .line(
            "T322 two fields", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
            .field(.repeatedTransferEncoding)),
        .line("T322 a look-alike", "Transfer_Encoding: chunked", .field(.framingLookAlike)),
        .line("a hop-by-hop look-alike", "Keep_Alive: 5", .field(.hopByHopLookAlike)),
        Case(
            "T322 chunked in HTTP/1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            .field(.transferEncodingInHTTP10)),
        Case(
            "T322 chunked with 204", "HTTP/1.1 204 \r\nTransfer-Encoding: chunked\r\n\r\n",
            .transferEncodingWithoutContent),
        Case(
            "T322 chunked with 100", "HTTP/1.1 100 \r\nTransfer-Encoding: chunked\r\n\r\n",
            .transferEncodingWithoutContent),
        Case("a length with 204", "HTTP/1.1 204 \r\nContent-Length: 5\r\n\r\n", .contentLengthWithoutContent),
        Case("a length with 103", "HTTP/1.1 103 \r\nContent-Length: 5\r\n\r\n", .contentLengthWithoutContent),
        Case("a length of zero with 204", "HTTP/1.1 204 \r\nContent-Length: 0\r\n\r\n", nil),
        Case("chunked with 304", "HTTP/1.1 304 \r\nTransfer-Encoding: chunked\r\n\r\n", nil),
        Case("T328 101", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", nil),
        .line("options that are no tokens", "Connection: a b", .field(.malformedConnection)),
        .line("Content-Length nominated", "Connection: Content-Length", .field(.connectionNominatesProtectedField)),
    ]

    @Test(arguments: cases)
    func `a response head has the verdict of its threat case`(_ response: Case) {
        switch ResponseVerdict(response.bytes) {
        case .complete: #expect(response.rejection == nil)
        case .needsMore: Issue.record("the head is whole")
        case .rejected(let rejection): #expect(rejection == response.rejection)
        }
    }

    @Test(arguments: cases)
    func `T247 the verdict is the same however the head is split`(_ response: Case) {
        let whole = ResponseVerdict(response.bytes)
        #expect(ResponseVerdict(response.bytes, endingPieces: 0...response.bytes.count) == whole)
        for first in 0...response.bytes.count {
            #expect(ResponseVerdict(response.bytes, endingPieces: [first]) == whole)
        }
        guard response.rejection == nil else { return }
        for count in 0..<response.bytes.count {
            #expect(ResponseVerdict(Array(response.bytes.prefix(count))) == .needsMore)
        }
    }

    private func framing(_ head: String, toHEAD: Bool = false) -> ResponseBodyFraming? {
        ResponseVerdict(head + "\r\n", toHEAD: toHEAD).summary?.framing
    }

    @Test func `response body framing follows from status, request method and fields`() {
        #expect(framing("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n") == .length(5))
        #expect(framing("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n") == .chunked)
        #expect(framing("HTTP/1.1 200 OK\r\n") == .untilClose)
        #expect(framing("HTTP/1.0 200 OK\r\n") == .untilClose)
        #expect(framing("HTTP/1.1 204 \r\n") == ResponseBodyFraming.none)
        #expect(framing("HTTP/1.1 103 \r\n") == ResponseBodyFraming.none)
        #expect(framing("HTTP/1.1 304 \r\nContent-Length: 5\r\n") == ResponseBodyFraming.none)
        #expect(framing("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n", toHEAD: true) == ResponseBodyFraming.none)
        #expect(framing("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n", toHEAD: true) == ResponseBodyFraming.none)
        #expect(framing("HTTP/1.1 200 OK\r\n", toHEAD: true) == ResponseBodyFraming.none)
        #expect(framing("HTTP/1.1 205 \r\nContent-Length: 5\r\n") == .length(5))
    }

    @Test func `an invalid content-length or transfer coding is refused even in a response without body`() {
        #expect(
            ResponseVerdict("HTTP/1.1 200 OK\r\nContent-Length: 05\r\n\r\n", toHEAD: true)
                == .rejected(.field(.malformedContentLength)))
        #expect(
            ResponseVerdict("HTTP/1.1 304 \r\nTransfer-Encoding: x\r\n\r\n")
                == .rejected(.field(.transferCodingNotSupported)))
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n", true),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n", false),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive, Close\t\r\n", false),
        ("HTTP/1.1 200 OK\r\n", false),
        ("HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n", false), ("HTTP/1.1 204 \r\n", true),
    ])
    func `T333 the connection is reused only if head and framing allow it`(head: String, keepsAlive: Bool) throws {
        #expect(try #require(ResponseVerdict(head + "\r\n").summary).keepsAlive == keepsAlive)
    }

    @Test(arguments: [
        ("Keep-Alive: timeout=5", 5), ("keep-alive: max=100, Timeout=7", 7),
        ("Keep-Alive: timeout=9\r\nKeep-Alive: timeout=8,timeout=12", 8),
        ("Keep-Alive: timeout=0", 0), ("Keep-Alive: timeout=99999999999999999999999", ResponseHead.longestIdleTime),
        ("Keep-Alive: timeout=", nil), ("Keep-Alive: timeout", nil), ("Keep-Alive: timeout=-5", nil),
        ("Keep-Alive: timeout=5s", nil),
        ("Keep-Alive: timeout=\"5\"", nil), ("Keep-Alive: xtimeout=5", nil), ("Keep-Alive:", nil),
        ("X-Keep-Alive: timeout=5", nil),
    ])
    func `the idle timeout is read from the upstream's Keep-Alive field`(line: String, seconds: Int?) throws {
        var parser = ResponseHeadParser()
        let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\(line)\r\n\r\n".utf8)
        _ = try parser.parse(head.span, requestMethodIsHEAD: false)
        #expect(parser.head.idleSeconds == seconds)
    }

    @Test func `T330 head size, number of fields and field size are limited`() {
        func head(_ lines: [String]) -> String { "HTTP/1.1 200 OK\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n" }
        let long = String(repeating: "a", count: 8_192)
        #expect(ResponseVerdict(head(["X: " + long])).summary != nil)
        #expect(ResponseVerdict(head(["X: a" + long])) == .rejected(.field(.fieldTooLarge)))
        #expect(ResponseVerdict(head(Array(repeating: "X: " + long, count: 4))) == .rejected(.field(.headTooLarge)))
        #expect(ResponseVerdict(head(Array(repeating: "X: y", count: 100))).summary != nil)
        #expect(ResponseVerdict(head(Array(repeating: "X: y", count: 101))) == .rejected(.field(.tooManyFields)))
        #expect(ResponseVerdict("HTTP/1.1 200 " + long + long) == .rejected(.field(.headTooLarge)))
        let options = HeadLimits(connectionOptions: 1)
        #expect(ResponseVerdict(head(["Connection: a"]), limits: options).summary != nil)
        #expect(
            ResponseVerdict(head(["Connection: a, b"]), limits: options) == .rejected(.field(.tooManyConnectionOptions))
        )
    }

    @Test func `status, reason and fields of a parsed response can be read`() throws {
        var parser = ResponseHeadParser()
        let bytes = Array(
            "HTTP/1.1 103 Early Hints\r\nSet-Cookie: a=b\r\nSet-Cookie: c=d\r\n\r\nHTTP/1.1 101 \r\n\r\n".utf8)
        _ = try parser.parse(bytes.span, requestMethodIsHEAD: false)
        #expect(parser.head.status == 103)
        #expect(parser.head.isInterim)
        #expect(parser.head.string(parser.head.reason) == "Early Hints")
        #expect(parser.head.fields(named: .setCookie).map { parser.head.string($0.value) } == ["a=b", "c=d"])
        let rest = Array(bytes.dropFirst(parser.head.byteCount))
        parser.reset()
        _ = try parser.parse(rest.span, requestMethodIsHEAD: false)
        #expect(parser.head.status == 101)
        #expect(!parser.head.isInterim)
        #expect(parser.head.reason.isEmpty)
        #expect(parser.head.fields.isEmpty)
        parser.releaseStorage()
        #expect(parser.head.bytes.capacity == 0)
    }

    @Test func `a rejection of a response is repeated until the parser is reset`() throws {
        var parser = ResponseHeadParser()
        #expect(throws: ResponseHeadRejection.invalidStatus) {
            try parser.parse(Array("HTTP/1.1 600 \r\n".utf8).span, requestMethodIsHEAD: false)
        }
        let good = Array("HTTP/1.1 204 \r\n\r\n".utf8)
        #expect(throws: ResponseHeadRejection.invalidStatus) { try parser.parse(good.span, requestMethodIsHEAD: false) }
        parser.reset()
        let progress = try parser.parse(good.span, requestMethodIsHEAD: false)
        #expect(progress == .complete)
    }
}
