import Testing

@testable import HTTPMessages

/// Messages for an operator about refused heads.
struct HeadFaultTests {
    private static func fault(_ bytes: [UInt8], limits: HeadLimits = HeadLimits()) -> HeadFault? {
        var parser = RequestHeadParser(limits: limits)
        _ = try? parser.parse(bytes.span)
        return parser.fault(in: bytes.span)
    }

    private static func told(_ text: String) -> String? { fault(Array(text.utf8))?.description }

    @Test(arguments: RequestCases.all)
    func `a refused head has the fault of its rejection, and an accepted head has none`(_ example: RequestCase) {
        #expect(Self.fault(example.bytes)?.rule == example.rejection?.rule)
        // However many of its bytes arrived before.
        var parser = RequestHeadParser()
        for count in 0...example.bytes.count {
            let received = Array(example.bytes.prefix(count))
            guard (try? parser.parse(received.span)) == nil else { continue }
            #expect(parser.fault(in: received.span)?.description == Self.fault(example.bytes)?.description)
            break
        }
    }

    @Test func `every rejection has its own description`() {
        #expect(Set(RequestCases.rejections.map(\.rule)).count == RequestCases.rejections.count)
        #expect(RequestCases.all.compactMap(\.rejection).allSatisfy(RequestCases.isListed))
    }

    private static let usual = "GET / HTTP/1.1\r\nHost: a\r\n"

    @Test(arguments: [
        ("GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n", "a `#` in the target: byte 2 (0x23) of the target"),
        (
            "GET http://\u{E9}/ HTTP/1.1\r\nHost: a\r\n\r\n",
            "the target's host or port is invalid: byte 0 (0x68) of the target"
        ),
        (
            "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n",
            "the first line is not method, target and version with one space between"
        ),
        ("GET / HTTP/1.1\nHost: a\r\n\r\n", "a line ends with LF alone: byte 14 (0x0A) of the head"),
        ("\u{E9}", "a byte above 0x7F where none is allowed: byte 0 (0xC3) of the head"),
        ("\r\n@", "the method is not a token, or is too long: byte 2 (0x40) of the head"),
        (usual + "X: a\u{1}\r\n\r\n", "a control character: byte 29 (0x01) of the head"),
        (
            usual + "Origin: a\u{E9}\r\n\r\n",
            "a byte above 0x7F where none is allowed: byte 1 (0xC3) of the value of `Origin`"
        ),
        (
            usual + "X-Kept: a\u{E0}\r\n\r\n",
            "a byte above 0x7F where none is allowed: byte 2 (0xA0) of the value of `X-Kept`"
        ),
        (usual + "X y: z\r\n\r\n", "a field name is not a token: byte 1 (0x20) of a field line"),
        (usual + "X : z\r\n\r\n", "white space before a colon: byte 1 (0x20) of a field line"),
        (usual + "secret.to.ken\r\n\r\n", "a field line has no colon: byte 0 (0x73) of a field line"),
        (usual + " X: z\r\n\r\n", "a field line begins with white space: byte 0 (0x20) of a field line"),
        (
            usual + "Content-Length: 1,1\r\n\r\n",
            "`Content-Length` is not a plain decimal number: byte 0 (0x31) of the value of `Content-Length`"
        ),
        (usual + "Expect: x\r\n\r\n", "`Expect` is not exactly `100-continue`: byte 0 (0x78) of the value of `Expect`"),
        (
            "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
            "`Host` is not `host` or `host:port`: byte 0 (0x61) of the value of `Host`"
        ),
        ("GET / HTTP/1.1\r\n\r\n", "there is no `Host`"),
    ])
    func `the fault names the broken rule and the byte`(text: String, told: String) {
        #expect(Self.told(text) == told)
    }

    @Test func `a byte that is not UTF-8 is reported by its offset in the target, with advice`() {
        let bytes = Array("GET /?\u{E9}".utf8) + [0xE9] + Array(" HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        let fault = Self.fault(bytes)
        #expect(fault?.description == "a query with bytes above 0x7F that are not UTF-8: byte 4 (0xE9) of the target")
        #expect(fault?.hint == "Have the client percent-encode the query.")
    }

    @Test func `a fault never shows a field value, nor a name too long to be a real one`() {
        let token = String(repeating: "eyJ", count: 20)
        for line in [
            "Authorization: Bearer \(token)\u{E9}", "\(token): a\u{E0}", token, "Bearer \(token): x",
            "Origin: \(token)\u{E9}",
        ] {
            let told = Self.told(Self.usual + line + "\r\n\r\n")
            #expect(told?.contains("eyJ") == false, "\(line)")
        }
    }

    @Test(arguments: [
        (FieldSection.get(["a b": "c"]), "a field name is not a token in lower case: byte 1 (0x20) of a name"),
        (.get(["Accept": "c"]), "a field name is not a token in lower case: byte 0 (0x41) of a name"),
        (
            .get(["a": "b\u{1}"]),
            "a value has a control character, or white space at an end: byte 1 (0x01) of the value of `a`"
        ),
        (
            .get(["connection": "close"]),
            "a hop-by-hop field, which HTTP/2 forbids: byte 0 (0x63) of the value of `connection`"
        ),
        (.get(["host": "other"]), "`host` differs from `:authority`: byte 0 (0x6F) of the value of `host`"),
        (
            .get(["origin": "a\u{E9}"]),
            "a byte above 0x7F where none is allowed: byte 1 (0xC3) of the value of `origin`"
        ),
        (.get(["expect": "x"]), "`Expect` is not exactly `100-continue`: byte 0 (0x78) of the value of `expect`"),
        (
            FieldSection([":method": "GET", ":scheme": "https", ":authority": "a", ":path": "/a#b"]),
            "a `#` in the target: byte 2 (0x23) of the target"
        ),
        (
            FieldSection([":method": "GET", ":scheme": "https", ":authority": "a", ":path": "a", "accept": "b"]),
            "`:path` does not begin with `/`, or has white space or a control character"
        ),
        (.get([":path": "/"]), "a pseudo-header field is missing, repeated, or not allowed in a request"),
    ])
    func `over HTTP 2, the fault names the broken rule and the byte as well`(section: FieldSection, told: String) {
        var builder = RequestHeadBuilder()
        #expect(throws: RequestHeadFault.self) { try builder.build(section) }
        #expect(builder.fault?.description == told)
        builder.reset()
        #expect(builder.fault == nil)
    }
}
