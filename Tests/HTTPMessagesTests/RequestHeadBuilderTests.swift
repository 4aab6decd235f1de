import HTTPMessages
import Testing

struct RequestHeadBuilderTests {
    private static let limits = HeadLimits(
        head: 1000, field: 100, authorization: 200, fields: 6, target: 50, tokenFields: [FieldName(fixed: "X-Token")])

    private func head(_ section: FieldSection, limits: HeadLimits = HeadLimits()) throws -> RequestHead {
        var builder = RequestHeadBuilder(limits: limits)
        try builder.build(section)
        return builder.head
    }

    private func fault(_ section: FieldSection, limits: HeadLimits = HeadLimits()) -> RequestHeadFault? {
        var builder = RequestHeadBuilder(limits: limits)
        do throws(RequestHeadFault) {
            try builder.build(section)
            return nil
        } catch {
            return error
        }
    }

    private func lines(_ head: RequestHead) -> [String] {
        head.fields.map { "\(head.string($0.name)): \(head.string($0.value))" }
    }

    @Test func `an HTTP/2 request reads like the same request in HTTP 1`() throws {
        let head = try head(
            FieldSection(
                [
                    ":method": "POST", ":path": "/a/b?c=d?", ":authority": "A.example:8443", ":scheme": "https",
                    "accept": "*/*",
                    "content-length": "3", "expect": "100-continue", "te": "trailers",
                    "content-type": "application/grpc+proto",
                ], endsStream: false))
        #expect(head.version == .http2)
        #expect(head.string(head.method) == "POST")
        #expect(head.target.form == .origin)
        #expect(head.string(head.target.bytes) == "/a/b?c=d?")
        #expect(head.string(head.target.path) == "/a/b")
        #expect(try head.string(#require(head.target.query)) == "c=d?")
        let authority = try #require(head.authority)
        #expect(head.string(authority.bytes) == "A.example:8443")
        #expect(head.string(authority.host) == "A.example")
        #expect(authority.port == 8443)
        #expect(head.framing == .length(3))
        #expect(head.keepsAlive && head.expectsContinue && head.acceptsTrailers && head.isGRPC)
        #expect(
            lines(head) == [
                "host: A.example:8443", "accept: */*", "content-length: 3", "expect: 100-continue", "te: trailers",
                "content-type: application/grpc+proto",
            ])
        #expect(
            head.contains(.host) && head.contains(.te) && !head.contains(.connection)
                && !head.contains(.transferEncoding))
    }

    @Test func `the bytes of a built head are lines that can be copied as one block`() throws {
        let head = try head(.get(["accept": "*/*", "x": ""]))
        #expect(
            String(decoding: head.bytes, as: UTF8.self)
                == "GET / HTTP/2.0\r\nhost: a.example\r\naccept: */*\r\nx: \r\n\r\n")
    }

    @Test func `body framing follows from content-length and the end of the stream`() throws {
        #expect(try head(.get()).framing == .none)
        #expect(try head(.get(["content-length": "0"])).framing == .length(0))
        #expect(try head(.get(["content-length": "7"], endsStream: false)).framing == .length(7))
        #expect(try head(.get(endsStream: false)).framing == .chunked)
        #expect(fault(.get(["content-length": "7"])) == .malformed(.contentLength))
    }

    @Test func `cookie crumbs are joined into one field (RFC 9113 §8·2·3)`() throws {
        let head = try head(.get(["cookie": "a=b", "accept": "*/*", "cookie": "c=d; e", "cookie": ""]))
        #expect(lines(head) == ["host: a.example", "accept: */*", "cookie: a=b; c=d; e;"])
        #expect(head.count(of: .cookie) == 1)
    }

    @Test(arguments: [
        ([""], "cookie: "), (["", "a=b"], "cookie: ; a=b"), (["", "", "a=b"], "cookie: ; ; a=b"),
        (["a=b", "", "c=d"], "cookie: a=b; ; c=d"),
        (["", ""], "cookie: ;"),
    ])
    func `T257 empty cookie crumbs are part of the joined field, wherever they are`(crumbs: [String], line: String)
        throws
    {
        var section = FieldSection.get()
        section.fields += crumbs.map { FieldSection.Field(name: Array("cookie".utf8), value: Array($0.utf8)) }
        #expect(lines(try head(section)) == ["host: a.example", line])
    }

    @Test func `a field received as never indexed stays so`() throws {
        var section = FieldSection.get(["authorization": "Bearer a", "accept": "a", "cookie": "a", "cookie": "b"])
        for index in [2, 3, 4, 7] { section.fields[index].isNeverIndexed = true }
        let head = try head(section)
        #expect(head.fields.map(\.isNeverIndexed) == [true, true, false, true])
        #expect(head.target.isNeverIndexed)
        #expect(try !self.head(.get()).target.isNeverIndexed)
    }

    // MARK: Malformed requests: the stream is reset (RFC 9113 §8.1.1)

    private static let malformed: [(String, FieldSection, RequestMalformation)] = [
        // §8.2.1
        ("a capital in a name", .get(["Accept": "a"]), .invalidFieldName),
        ("a space in a name", .get(["a b": "a"]), .invalidFieldName),
        ("a colon in a name", .get(["a:": "a"]), .invalidFieldName),
        ("a control byte in a name", .get(["a\u{1}": "a"]), .invalidFieldName),
        ("a byte above 0x7F in a name", .get(["\u{E9}": "a"]), .invalidFieldName),
        ("an empty name", .get(["": "a"]), .invalidFieldName),
        ("a control byte in a value", .get(["authorization": "Bearer a\u{1}"]), .invalidFieldValue),
        ("NUL in a value", .get(["a": "b\0"]), .invalidFieldValue),
        ("CR in a value", .get(["a": "b\rc"]), .invalidFieldValue),
        ("LF in a value", .get(["a": "b\nc: d"]), .invalidFieldValue),
        ("CR LF behind a byte above 0x7F", .get(["a": "\u{E9}\r\nb: c"]), .invalidFieldValue),
        ("DEL in a value", .get(["a": "\u{7F}"]), .invalidFieldValue),
        ("a space before a value", .get(["a": " b"]), .invalidFieldValue),
        ("a tab behind a value", .get(["a": "b\t"]), .invalidFieldValue),
        ("a space behind :authority", authority("a.example "), .invalidFieldValue),
        ("LF in :authority", authority("a.example\nx: y"), .invalidFieldValue),
        // §8.2.2
        ("connection", .get(["connection": "close"]), .connectionField),
        ("proxy-connection", .get(["proxy-connection": "close"]), .connectionField),
        ("keep-alive", .get(["keep-alive": "1"]), .connectionField),
        ("transfer-encoding", .get(["transfer-encoding": "chunked"], endsStream: false), .connectionField),
        ("upgrade", .get(["upgrade": "websocket"]), .connectionField),
        ("te with a coding", .get(["te": "trailers, gzip"]), .connectionField),
        // §8.3
        ("a pseudo-header behind a field", .get(["a": "b", ":path": "/"]), .latePseudoHeader),
        ("two methods", .get([":method": "GET"]), .pseudoHeader),
        ("two paths", .get([":path": "/"]), .pseudoHeader),
        ("two schemes", .get([":scheme": "https"]), .pseudoHeader),
        ("two authorities", .get([":authority": "a.example"]), .pseudoHeader),
        ("one of a response", .get([":status": "200"]), .pseudoHeader),
        ("one that nobody knows", .get([":a": "b"]), .pseudoHeader),
        ("a colon alone", .get([":": "b"]), .pseudoHeader),
        ("no fields", FieldSection(), .pseudoHeader),
        // §8.3.1
        ("no method", FieldSection([":scheme": "https", ":path": "/", "host": "a.example"]), .pseudoHeader),
        ("no scheme", FieldSection([":method": "GET", ":path": "/", "host": "a.example"]), .scheme),
        ("no path", FieldSection([":method": "GET", ":scheme": "https", "host": "a.example"]), .path),
        ("an empty path", path(""), .path),
        ("a path without a slash", path("a"), .path),
        ("a whole URL for a path", path("http://a.example/"), .path),
        ("an asterisk without OPTIONS", path("*"), .path),
        ("a space in the path", path("/ HTTP/1.1"), .path),
        ("CR LF in the path", path("/\r\n"), .path),
        ("another scheme", FieldSection([":method": "GET", ":scheme": "ftp", ":path": "/"]), .scheme),
        ("a scheme in capitals", FieldSection([":method": "GET", ":scheme": "HTTPS", ":path": "/"]), .scheme),
        ("a method that is no token", method("G T"), .method),
        ("CR LF in the method", method("GET / HTTP/1.1\r\n"), .method),
        ("an empty method", method(""), .method),
        ("host and :authority that differ", .get(["host": "b.example"]), .hostContradictsAuthority),
        ("host and :authority with ports that differ", .get(["host": "a.example:443"]), .hostContradictsAuthority),
        ("an empty host beside :authority", .get(["host": ""]), .hostContradictsAuthority),
        ("two hosts", .get(["host": "a.example", "host": "a.example"]), .repeatedHost),
        // §8.1.1
        ("two lengths", .get(["content-length": "1", "content-length": "1"], endsStream: false), .contentLength),
        ("a list of lengths", .get(["content-length": "1, 1"], endsStream: false), .contentLength),
        ("a length with a sign", .get(["content-length": "+1"], endsStream: false), .contentLength),
        ("a length with a leading zero", .get(["content-length": "01"], endsStream: false), .contentLength),
        ("a length of 2^63", .get(["content-length": "9223372036854775808"], endsStream: false), .contentLength),
        ("a length where nothing follows", .get(["content-length": "1"]), .contentLength),
        // §8.5, RFC 8441 §4
        (
            "CONNECT with a path", FieldSection([":method": "CONNECT", ":authority": "a:1", ":path": "/"]),
            .pseudoHeader
        ),
        (
            "CONNECT with a scheme", FieldSection([":method": "CONNECT", ":authority": "a:1", ":scheme": "http"]),
            .pseudoHeader
        ),
        ("CONNECT without an authority", FieldSection([":method": "CONNECT"]), .path),
        (":protocol without CONNECT", .get([":protocol": "websocket"]), .pseudoHeader),
        ("a WebSocket that ends at once", ended(.webSocket()), .contentLength),
        ("a WebSocket with a length", .webSocket(["content-length": "0"]), .contentLength),
        (
            "a WebSocket without a scheme",
            FieldSection(
                [":method": "CONNECT", ":protocol": "websocket", ":path": "/", ":authority": "a"], endsStream: false),
            .scheme
        ),
    ]

    @Test func `a WebSocket is recognized in any order of pseudo-header fields, and forgotten by a reset`() throws {
        let webSocket = FieldSection.webSocket()
        let pseudo = webSocket.fields.prefix { $0.name.first == UInt8(ascii: ":") }
        for first in pseudo.indices {
            for fields in [pseudo[first...] + pseudo[..<first], pseudo[first...].reversed() + pseudo[..<first]] {
                var builder = RequestHeadBuilder()
                for field in fields {
                    try builder.add(name: field.name.span, value: field.value.span, isNeverIndexed: false)
                }
                let asked = builder.asksForWebSocket
                builder.reset()
                let asksAfterReset = builder.asksForWebSocket
                #expect(asked && !asksAfterReset)
                for field in FieldSection.get().fields {
                    try builder.add(name: field.name.span, value: field.value.span, isNeverIndexed: false)
                }
                try builder.finish(endsStream: true)
                let asksNext = builder.asksForWebSocket
                #expect(!asksNext)
            }
        }
    }

    private static func authority(_ value: String) -> FieldSection {
        FieldSection([":method": "GET", ":scheme": "https", ":path": "/", ":authority": value])
    }

    private static func path(_ value: String) -> FieldSection {
        FieldSection([":method": "GET", ":scheme": "https", ":authority": "a.example", ":path": value])
    }

    private static func method(_ value: String) -> FieldSection {
        FieldSection([":method": value, ":scheme": "https", ":authority": "a.example", ":path": "/"])
    }

    private static func ended(_ section: FieldSection) -> FieldSection {
        var section = section
        section.endsStream = true
        return section
    }

    @Test(arguments: malformed)
    func `a section that is no request by the rules of HTTP 2 is malformed`(
        name: String, section: FieldSection, malformation: RequestMalformation
    ) {
        #expect(fault(section) == .malformed(malformation), "\(name)")
    }

    // MARK: Requests that are refused: they are answered, as in HTTP/1.1

    private static let rejected: [(String, FieldSection, RequestHeadRejection)] = [
        ("a byte above 0x7F in a value that is read", .get(["x-request-id": "\u{E9}"]), .field(.nonASCIIByte)),
        ("a value that ends with one that is white space to some", .get(["a": "\u{E0}"]), .field(.nonASCIIByte)),
        ("a fragment in the path", path("/#a"), .fragmentInTarget),
        ("a byte above 0x7F in :authority", authority("a\u{E9}.example"), .field(.nonASCIIByte)),
        ("a look-alike of a framing field", .get(["content.length": "1"]), .field(.framingLookAlike)),
        ("a look-alike of a connection field", .get(["proxy_connection": "a"]), .field(.hopByHopLookAlike)),
        ("a method in small letters", method("get"), .miscasedMethod),
        ("a method that is too long", method(String(repeating: "M", count: 65)), .invalidMethod),
        ("CONNECT", FieldSection([":method": "CONNECT", ":authority": "a.example:443"]), .methodNotAllowed),
        (
            "CONNECT for another protocol",
            FieldSection(
                [
                    ":method": "CONNECT", ":protocol": "connect-udp", ":scheme": "https", ":authority": "a",
                    ":path": "/",
                ],
                endsStream: false), .methodNotAllowed
        ),
        ("TRACE", method("TRACE"), .methodNotAllowed),
        ("no authority", FieldSection([":method": "GET", ":scheme": "https", ":path": "/"]), .missingHost),
        ("an empty authority", authority(""), .invalidHost),
        ("user information", authority("u@a.example"), .invalidHost),
        ("two ports", authority("a:1:2"), .invalidHost),
        ("two authorities in one", authority("a,b"), .invalidHost),
        ("a port that is no number", authority("[::1]:x"), .invalidHost),
        ("a number for an address", authority("127.1"), .invalidHost),
        (
            "a host that is none", FieldSection([":method": "GET", ":scheme": "https", ":path": "/", "host": "a b"]),
            .invalidHost
        ),
        ("an expectation that nobody knows", .get(["expect": "200-ok"]), .expectationFailed),
        ("two expectations", .get(["expect": "100-continue", "expect": "100-continue"]), .expectationFailed),
    ]

    @Test(arguments: rejected)
    func `a request refused in HTTP 1 is refused in HTTP 2 for the same reason`(
        name: String, section: FieldSection, rejection: RequestHeadRejection
    ) {
        #expect(fault(section) == .rejected(rejection), "\(name)")
    }

    @Test func `a malformed section is reported as malformed even after another rejection`() {
        #expect(fault(.get(["content.length": "1", "a": "b\r\n"])) == .malformed(.invalidFieldValue))
        #expect(fault(.get(["content.length": "1", "content-length": "1"])) == .malformed(.contentLength))
    }

    @Test func `HEAD is recognised in a refused request too, whose response then has no content`() throws {
        var builder = RequestHeadBuilder()
        let section = Self.method("HEAD")
        for field in section.fields + FieldSection(["content.length": "1"]).fields {
            try builder.add(name: field.name.span, value: field.value.span, isNeverIndexed: false)
        }
        #expect(throws: RequestHeadFault.rejected(.field(.framingLookAlike))) { try builder.finish(endsStream: true) }
        var isHEAD = builder.methodIsHEAD
        #expect(isHEAD)
        builder.reset()
        isHEAD = builder.methodIsHEAD
        #expect(!isHEAD)
    }

    // MARK: Hosts

    @Test func `a host field alone is the authority, and beside an equal authority it is dropped`() throws {
        let alone = try head(
            FieldSection([":method": "GET", ":scheme": "https", ":path": "/", "a": "b", "host": "B.example:80"]))
        #expect(lines(alone) == ["a: b", "host: B.example:80"])
        #expect(try alone.string(#require(alone.authority).host) == "B.example")
        let both = try head(.get(["host": "A.EXAMPLE"]))
        #expect(lines(both) == ["host: a.example"])
        #expect(try both.string(#require(both.authority).host) == "a.example")
    }

    @Test func `a path and query are kept as browsers write them`() throws {
        let head = try head(Self.path("/|{}^`\"<>[]\\é?|{}^`\"<>[]\\é"))
        #expect(head.string(head.target.path) == "/|{}^`\"<>[]\\é")
        #expect(try head.string(#require(head.target.query)) == "|{}^`\"<>[]\\é")
    }

    @Test func `an asterisk is accepted as the target of OPTIONS`() throws {
        let head = try head(FieldSection([":method": "OPTIONS", ":scheme": "https", ":authority": "a", ":path": "*"]))
        #expect(head.target.form == .asterisk)
    }

    // MARK: WebSockets (RFC 8441)

    @Test func `an extended CONNECT for WebSocket reads as a GET with an upgrade and a key`() throws {
        let head = try head(.webSocket(["sec-websocket-key": "the client's", "origin": "https://a.example"]))
        #expect(head.string(head.method) == "GET")
        #expect(head.string(head.target.path) == "/chat")
        #expect(head.contains(.upgrade) && !head.contains(.connection))
        #expect(head.webSocketKey == SectionVerdict.webSocketKey)
        #expect(head.framing == .none)
        #expect(!head.keepsAlive)
        #expect(
            lines(head) == [
                "host: a.example", "sec-websocket-version: 13", "origin: https://a.example", "upgrade: websocket",
                "sec-websocket-key: \(SectionVerdict.webSocketKey)",
            ])
    }

    @Test func `a WebSocket request without a version, or without our key, is not treated as one`() throws {
        var section = FieldSection.webSocket()
        section.fields.removeLast()
        #expect(try head(section).webSocketKey == nil)
        var builder = RequestHeadBuilder()
        for field in FieldSection.webSocket().fields {
            try builder.add(name: field.name.span, value: field.value.span, isNeverIndexed: false)
        }
        let asks = builder.asksForWebSocket
        #expect(asks)
        try builder.finish(endsStream: false)
        let head = builder.head
        #expect(head.webSocketKey == nil)
    }

    // MARK: Limits

    @Test func `the size of a head is counted as in HTTP 1`() throws {
        // "GET / HTTP/1.1", "host: a.example", "x: …" and the blank line.
        let around = 16 + 17 + 5 + 2
        let limits = HeadLimits(head: around + 200, field: 8000)
        #expect(fault(.get(["x": String(repeating: "a", count: 200)]), limits: limits) == nil)
        #expect(
            fault(.get(["x": String(repeating: "a", count: 201)]), limits: limits) == .rejected(.field(.headTooLarge)))
        let long = String(repeating: "a", count: 199)
        #expect(fault(.get(["x": long]), limits: limits) == nil)
    }

    private static let tooLarge: [(String, FieldSection, RequestHeadRejection?)] = [
        ("a value of the limit", .get(["a": String(repeating: "v", count: 100)]), nil),
        ("a value over it", .get(["a": String(repeating: "v", count: 101)]), .field(.fieldTooLarge)),
        ("a name over it", .get([String(repeating: "n", count: 101): ""]), .field(.fieldTooLarge)),
        (
            "a cookie over it in crumbs",
            .get(["cookie": String(repeating: "c", count: 50), "cookie": String(repeating: "c", count: 49)]),
            .field(.fieldTooLarge)
        ),
        ("credentials of the limit", .get(["authorization": "Bearer " + String(repeating: "t", count: 200)]), nil),
        (
            "credentials over it", .get(["authorization": "Bearer " + String(repeating: "t", count: 201)]),
            .field(.authorizationTooLong)
        ),
        ("a token in its field", .get(["x-token": String(repeating: "t", count: 200)]), nil),
        ("one over the limit", .get(["x-token": String(repeating: "t", count: 201)]), .field(.authorizationTooLong)),
        ("one far over it", .get(["x-token": String(repeating: "t", count: 900)]), .field(.authorizationTooLong)),
        ("fields of the limit", .get(["a": "", "b": "", "c": "", "d": "", "e": ""]), nil),
        ("fields over it", .get(["a": "", "b": "", "c": "", "d": "", "e": "", "f": ""]), .field(.tooManyFields)),
        ("crumbs count once", .get(["a": "", "b": "", "c": "", "d": "", "cookie": "a", "cookie": "b"]), nil),
        ("a target of the limit", path("/" + String(repeating: "p", count: 49)), nil),
        ("a target over it", path("/" + String(repeating: "p", count: 50)), .targetTooLong),
        ("a target far over it", path("/" + String(repeating: "p", count: 900)), .targetTooLong),
    ]

    @Test(arguments: tooLarge)
    func `every head limit is the same as in HTTP 1`(
        name: String, section: FieldSection, rejection: RequestHeadRejection?
    ) {
        #expect(fault(section, limits: Self.limits) == rejection.map { .rejected($0) }, "\(name)")
    }

    @Test func `a field section of more than four times the largest head gets no response`() throws {
        var builder = RequestHeadBuilder(limits: Self.limits)
        let start = FieldSection.get().fields
        for field in start { try builder.add(name: field.name.span, value: field.value.span, isNeverIndexed: false) }
        let size = start.reduce(0) { $0 + $1.name.count + $1.value.count + 4 }
        let value = [UInt8](repeating: UInt8(ascii: "a"), count: 4 * 1000 - size - 5)
        try builder.add(name: "x".utf8.span, value: value.span, isNeverIndexed: false)
        #expect(throws: RequestMalformation.fieldSectionTooLarge) {
            try builder.add(name: "".utf8.span, value: "".utf8.span, isNeverIndexed: false)
        }
        builder.reset()
        try builder.build(.get())
    }

    // MARK: One head after another

    @Test func `no state of one request is left for the next, whatever its outcome`() throws {
        var builder = RequestHeadBuilder()
        let others =
            Self.malformed.map { $0.1 } + Self.rejected.map { $0.1 } + [.webSocket(), .get(["cookie": "a", "x": "y"])]
        let next = FieldSection.get(["host": "a.example", "cookie": "c", "content-length": "0"])
        let expected = SectionVerdict(next)
        #expect(expected.summary?.fields.count == 3)
        for other in others {
            _ = SectionVerdict(other, with: &builder)
            #expect(SectionVerdict(next, with: &builder) == expected)
        }
    }

    @Test func `a built head is exchanged for another, whose storage is reused`() throws {
        var builder = RequestHeadBuilder()
        var head = RequestHeadBuilder().head
        try builder.build(.get(["a": "b"]))
        builder.exchange(for: &head)
        #expect(lines(head) == ["host: a.example", "a: b"])
        try builder.build(.get(["c": "d"]))
        #expect(lines(head) == ["host: a.example", "a: b"])
        builder.exchange(for: &head)
        #expect(lines(head) == ["host: a.example", "c: d"])
        builder.releaseStorage()
        try builder.build(.get())
    }
}
