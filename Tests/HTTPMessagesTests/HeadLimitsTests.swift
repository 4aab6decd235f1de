import HTTPMessages
import Testing

struct HeadLimitsTests {
    private static let limits = HeadLimits(
        head: 4_096, field: 100, authorization: 300, fields: 5, target: 50, connectionOptions: 3)

    /// Rejection of the head, which must be the same byte by byte.
    private func rejection(_ text: String, limits: HeadLimits = limits) -> RequestHeadRejection? {
        let bytes = Array(text.utf8)
        let verdict = RequestVerdict(bytes, limits: limits)
        #expect(RequestVerdict.byteByByte(bytes, limits: limits) == verdict)
        return verdict.rejection
    }

    private func request(target: String = "/", lines: [String]) -> String {
        "GET \(target) HTTP/1.1\r\nHost: a\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n"
    }

    private func text(_ count: Int) -> String { String(repeating: "a", count: count) }

    @Test func `a target of the maximum length is accepted, and one byte more is refused`() {
        #expect(rejection(request(target: "/" + text(49), lines: [])) == nil)
        #expect(rejection(request(target: "/" + text(50), lines: [])) == .targetTooLong)
    }

    @Test func `a field value of the maximum length is accepted, not counting white space around it`() {
        #expect(rejection(request(lines: ["X:  " + text(100) + " "])) == nil)
        #expect(rejection(request(lines: ["X: " + text(101)])) == .field(.fieldTooLarge))
    }

    @Test func `a field name of the maximum length is accepted, and one byte more is refused`() {
        #expect(rejection(request(lines: [text(100) + ": x"])) == nil)
        #expect(rejection(request(lines: [text(101) + ": x"])) == .field(.fieldTooLarge))
    }

    @Test func `credentials have their own limit, which does not count the scheme`() {
        #expect(rejection(request(lines: ["aUTHORIZATION: Bearer   " + text(300)])) == nil)
        #expect(rejection(request(lines: ["Authorization: Bearer " + text(301)])) == .field(.authorizationTooLong))
        #expect(rejection(request(lines: ["Authorization: " + text(300)])) == nil)
        #expect(rejection(request(lines: ["Authorization: " + text(301)])) == .field(.authorizationTooLong))
    }

    @Test func `credentials have their own limit even if it is lower than that of other fields`() {
        let limits = HeadLimits(head: 4_096, field: 300, authorization: 100)
        #expect(rejection(request(lines: ["Authorization: Bearer " + text(100)]), limits: limits) == nil)
        #expect(
            rejection(request(lines: ["Authorization: Bearer " + text(101)]), limits: limits)
                == .field(.authorizationTooLong))
        #expect(
            rejection(request(lines: ["Authorization: Bearer " + text(1_000)]), limits: limits)
                == .field(.authorizationTooLong)
        )
        #expect(rejection(request(lines: ["X: " + text(300)]), limits: limits) == nil)
    }

    @Test(arguments: [(100, 300), (300, 100)])
    func `a field configured to carry a token has the limit of credentials`(field: Int, authorization: Int) throws {
        var limits = HeadLimits(head: 4_096, field: field, authorization: authorization)
        limits.tokenFields = [try #require(FieldName("X-Token"))]
        for name in ["X-Token", "x-toKEN"] {
            #expect(rejection(request(lines: ["\(name): " + text(authorization)]), limits: limits) == nil)
            #expect(rejection(request(lines: ["\(name): jwt " + text(authorization)]), limits: limits) == nil)
            #expect(
                rejection(request(lines: ["\(name): " + text(authorization + 1)]), limits: limits)
                    == .field(.authorizationTooLong))
            #expect(
                rejection(request(lines: ["\(name): " + text(2_000)]), limits: limits) == .field(.authorizationTooLong))
            #expect(
                rejection("GET / HTTP/1.1\r\n\(name): " + text(2_000), limits: limits) == .field(.authorizationTooLong))
        }
        // A look-alike is an ordinary field.
        for name in ["X_Token", "X-Tokens", "X-Toke"] {
            #expect(rejection(request(lines: ["\(name): " + text(field)]), limits: limits) == nil)
            #expect(
                rejection(request(lines: ["\(name): " + text(field + 1)]), limits: limits) == .field(.fieldTooLarge))
        }
    }

    @Test func `the longest entry of a list of subprotocols counts as credentials`() throws {
        var limits = HeadLimits(head: 4_096, field: 100, authorization: 300)
        #expect(
            rejection(request(lines: ["Sec-WebSocket-Protocol: bearer, " + text(93)]), limits: limits)
                == .field(.fieldTooLarge)
        )
        limits.tokenFields = [FieldName(.secWebSocketProtocol)]
        for list in ["", "bearer,", "bearer, ", "chat, bearer,"] {
            #expect(rejection(request(lines: ["Sec-WebSocket-Protocol: \(list)" + text(300)]), limits: limits) == nil)
            #expect(
                rejection(request(lines: ["sec-websocket-protocol: \(list)" + text(300) + ", chat"]), limits: limits)
                    == nil)
            #expect(
                rejection(request(lines: ["Sec-WebSocket-Protocol: \(list)" + text(301)]), limits: limits)
                    == .field(.authorizationTooLong))
        }
        #expect(
            rejection(request(lines: ["Sec-WebSocket-Protocol: " + text(300) + "," + text(300)]), limits: limits) == nil
        )
        #expect(
            rejection(request(lines: ["Sec-WebSocket-Protocol: " + text(300) + "," + text(600)]), limits: limits)
                == .field(.authorizationTooLong))
    }

    @Test(arguments: ["X-Token", "close, x-token", "X_Token", "a, X-TOKEN"])
    func `Connection cannot nominate a field that carries a token`(options: String) throws {
        let head = request(lines: ["Connection: \(options)", "X-Token: a"])
        #expect(rejection(head) == nil)
        var limits = Self.limits
        limits.tokenFields = [try #require(FieldName("X-Token"))]
        #expect(rejection(head, limits: limits) == .field(.connectionNominatesProtectedField))
        #expect(rejection(request(lines: ["Connection: x-tokens"]), limits: limits) == nil)
    }

    @Test func `the maximum number of fields is accepted, and one more is refused`() {
        #expect(rejection(request(lines: Array(repeating: "X: y", count: 4))) == nil)
        #expect(rejection(request(lines: Array(repeating: "X: y", count: 5))) == .field(.tooManyFields))
    }

    @Test func `a head of the maximum size, counted with its last line end, is accepted`() {
        let head = request(lines: ["X: y"])
        let count = head.utf8.count
        #expect(rejection(head, limits: HeadLimits(head: count)) == nil)
        #expect(rejection(head, limits: HeadLimits(head: count - 1)) == .field(.headTooLarge))
        #expect(rejection(head + "GET / HTTP/1.1\r\n", limits: HeadLimits(head: count)) == nil)
    }

    @Test func `Connection may nominate at most as many names as the limit`() {
        #expect(rejection(request(lines: ["Connection: a, close, b, c"])) == nil)
        #expect(
            rejection(request(lines: ["Connection: a, b", "Connection: c, d"])) == .field(.tooManyConnectionOptions))
    }

    @Test func `an unfinished line is refused as soon as it cannot fit its limit`() {
        #expect(rejection("GET /" + text(1_000)) == .targetTooLong)
        #expect(rejection("GET / HTTP/1.1\r\nX: " + text(1_000)) == .field(.fieldTooLarge))
        #expect(rejection("GET / HTTP/1.1\r\n" + text(1_000)) == .field(.fieldTooLarge))
        #expect(rejection("GET / HTTP/1.1\r\nAuthorization: " + text(1_000)) == .field(.authorizationTooLong))
        #expect(rejection("GET / HTTP/1.1\r\nX: " + String(repeating: " ", count: 1_000)) == .field(.fieldTooLarge))
        #expect(rejection(text(1_000)) == .targetTooLong)
        #expect(rejection("GET / HTTP/1.1\r\n", limits: HeadLimits(head: 16)) == .field(.headTooLarge))
    }

    @Test func `a line over its limit is refused for its length, whatever follows after the limit`() {
        #expect(rejection("GET / HTTP/1.1\r\nX: " + text(1_000) + "\n") == .field(.fieldTooLarge))
        #expect(rejection("GET / HTTP/1.1\r\nX : " + text(1_000) + "\0") == .field(.fieldTooLarge))
        #expect(rejection("GET /" + text(1_000) + "\n") == .targetTooLong)
    }

    @Test func `the default limits are the documented ones`() {
        let limits = HeadLimits()
        #expect(limits.head == 32_768)
        #expect(limits.field == 8_192)
        #expect(limits.authorization == 16_384)
        #expect(limits.fields == 100)
        #expect(limits.target == 8_192)
    }

    @Test func `T028 a token of 16384 bytes is accepted, and one of 16385 is refused`() {
        let limits = HeadLimits()
        #expect(
            RequestVerdict(request(lines: ["Authorization: Bearer " + text(16_384)]), limits: limits).rejection == nil)
        let longer = request(lines: ["Authorization: Bearer " + text(16_385)])
        #expect(RequestVerdict(longer, limits: limits) == .rejected(.field(.authorizationTooLong)))
    }

    @Test func `T275 a target of 8193 bytes is too long`() {
        #expect(RequestVerdict(request(target: "/" + text(8_191), lines: [])).rejection == nil)
        #expect(RequestVerdict(request(target: "/" + text(8_192), lines: [])) == .rejected(.targetTooLong))
    }

    @Test func `T219 a million blank lines are refused at the second line`() {
        let bytes = Array(String(repeating: "\r\n", count: 1_000_000).utf8)
        #expect(RequestVerdict(bytes) == .rejected(.repeatedBlankLine))
        #expect(RequestVerdict(Array(bytes.prefix(4))) == .rejected(.repeatedBlankLine))
    }
}
