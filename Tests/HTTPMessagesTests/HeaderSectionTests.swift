import NetworkNames
import Testing

@testable import HTTPMessages

struct HeaderSectionTests {
    private func head(_ lines: String...) throws -> RequestHead {
        var parser = RequestHeadParser()
        let text = "GET / HTTP/1.1\r\nHost: a\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n"
        _ = try parser.parse(Array(text.utf8).span)
        return parser.head
    }

    @Test func `fields of one name are found in order, whatever their case`() throws {
        let head = try head("Via: 1", "via: 2", "X: y", "VIA: 3")
        #expect(head.fields(named: .via).map { head.string($0.value) } == ["1", "2", "3"])
        #expect(head.count(of: .via) == 3)
        #expect(head.first(.via).map { head.string($0.value) } == "1")
        #expect(head.contains(.via))
        #expect(!head.contains(.cookie))
        #expect(head.count(of: .cookie) == 0)
        #expect(head.first(.cookie) == nil)
        #expect(Array(head.fields(named: .cookie)).isEmpty)
    }

    @Test func `T312 a hundred fields keep their order`() throws {
        var parser = RequestHeadParser()
        let text = "GET / HTTP/1.1\r\nHost: a\r\n" + (1..<100).map { "X: \($0)\r\n" }.joined() + "\r\n"
        _ = try parser.parse(Array(text.utf8).span)
        #expect(parser.head.fields.dropFirst().map { parser.head.string($0.value) } == (1..<100).map(String.init))
    }

    @Test func `a look-alike of a known field is marked as such, and not found under that name`() throws {
        let head = try head(
            "X_Forwarded_For: 1", "X-Real_IP: 2", "X-Forwarded-For: 3", "x.forwarded~for: 4", "X+Real!IP: 5",
            "XxReal-IP: 6")
        #expect(head.fields.map(\.lookAlike) == [nil, .xForwardedFor, .xRealIP, nil, .xForwardedFor, .xRealIP, nil])
        #expect(head.fields.map(\.known) == [.host, nil, nil, .xForwardedFor, nil, nil, nil])
        #expect(head.fields(named: .xForwardedFor).map { head.string($0.value) } == ["3"])
        #expect(!head.contains(.xRealIP))
    }

    @Test func `T302 a name matches exactly, and resembles names with other separators`() throws {
        let head = try head(
            "x-auth-SUBJECT: 1", "X_Auth-Subject: 2", "X.Auth.Subject: 3", "X-Auth-Subjec: 4", "X-Auth-Subject-: 5")
        let name = try #require(FieldName("X-Auth-Subject"))
        #expect(head.fields.dropFirst().map { head.isNamed($0, name) } == [true, false, false, false, false])
        #expect(head.fields.dropFirst().map { head.resembles($0, name) } == [true, true, true, false, false])
    }

    @Test
    func `T302 all token characters except letters and digits are treated as the same separator`()
        throws
    {
        let name = try #require(FieldName("X-A"))
        for byte in UInt8.min...UInt8.max where ASCII.isToken(byte) {
            let other = try #require(FieldName("X\(UnicodeScalar(byte))A"))
            let stands = !ASCII.isLetter(byte) && !ASCII.isDigit(byte)
            #expect(name.resembles(other.spelling.span) == stands, "\(byte)")
            #expect((name.hash == other.hash) == stands, "\(byte)")
            #expect(name.matches(other.spelling.span) == (byte == ASCII.hyphen), "\(byte)")
        }
    }

    @Test func `T304 a nominated field is found in any case and with any separators`() throws {
        let head = try head(
            "Connection: close, X-One ,x-two", "connection: X-Three", "X-ONE: 1", "X_Two: 2", "x.three: 3", "X-Four: 4")
        #expect(head.fields.dropFirst(3).map { head.isNominated($0) } == [true, true, true, false])
        #expect(head.isNominated(try #require(FieldName("x_one"))))
        #expect(!head.isNominated(try #require(FieldName("close"))))
    }

    @Test func `values are compared case-insensitively on request`() throws {
        let head = try head("Upgrade: WebSocket")
        let value = try #require(head.first(.upgrade)).value
        #expect(head.section.equals(value, ignoringCase: "websocket"))
        #expect(!head.section.equals(value, ignoringCase: "websockets"))
        let exact = head.section.equals(value, Array("WebSocket".utf8).span)
        #expect(exact)
        let otherCase = head.section.equals(value, Array("websocket".utf8).span)
        #expect(!otherCase)
    }

    @Test func `a range that lies outside the head is empty`() throws {
        let head = try head()
        #expect(head.slice(0..<100_000).isEmpty)
        #expect(!head.section.equals(0..<100_000, ignoringCase: "x"))
        let other = try self.head("X: " + String(repeating: "a", count: 1_000), "Y: z")
        let far = try #require(other.fields.last)
        #expect(head.name(of: far).isEmpty)
        #expect(!head.isNominated(far))
        #expect(!head.isNamed(far, try #require(FieldName("Y"))))
    }

    @Test(arguments: KnownField.allCases)
    func `every known field is found by its name in any case`(_ known: KnownField) throws {
        // Refused and judged fields are covered by the parser's tests.
        guard ![.host, .contentLength, .transferEncoding, .expect].contains(known) else { return }
        for name in ["\(known.name)", "\(known.name)".lowercased(), "\(known.name)".uppercased()] {
            let head = try head("\(name): x")
            #expect(head.fields.last?.known == known)
            #expect(head.contains(known))
        }
        #expect(try head("\(known.name)x: x").fields.last?.known == nil)
    }

    @Test(arguments: KnownField.allCases.filter { "\($0.name)".contains("-") })
    func `every look-alike of a known field is refused or marked`(_ known: KnownField) {
        for separator in ["_", ".", "~", "!", "$", "'", "+"] {
            let name = "\(known.name)".replacing("-", with: separator)
            let verdict = RequestVerdict("GET / HTTP/1.1\r\nHost: a\r\n\(name): x\r\n\r\n")
            if known.isFraming {
                #expect(verdict == .rejected(.field(.framingLookAlike)))
            } else if known.isHopByHop {
                #expect(verdict == .rejected(.field(.hopByHopLookAlike)))
            } else {
                #expect(verdict.summary != nil)
            }
        }
    }
}

struct FieldNameTests {
    @Test func `a field name must be a token`() {
        for name in ["", "a b", "a:", "ä", "a\r\n", "(a)"] { #expect(FieldName(name) == nil) }
        #expect(FieldName("X-Auth_Subject!") != nil)
    }

    @Test func `field names are equal in any case, and differ by separators`() {
        #expect(FieldName("X-A") == FieldName("x-a"))
        #expect(FieldName("X-A") != FieldName("X_A"))
        #expect(FieldName("X-A")?.hash == FieldName("x_a")?.hash)
        #expect(FieldName("X-A") != FieldName("X.A"))
        #expect(FieldName(.xRequestID) == FieldName("x-request-id"))
    }
}
