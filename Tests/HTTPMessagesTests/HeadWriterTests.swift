import HTTPMessages
import Testing

struct HeadWriterTests {
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    private func written(_ write: (inout HeadWriter) -> Void) -> String {
        var writer = HeadWriter()
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func `a request head is written line by line`() throws {
        let name = try #require(FieldName("X-Auth-Subject"))
        let text = written { writer in
            writer.expectRequestLine("GET", "/a?b", isWritten: true)
            writer.expectField("Host", bytes("a.example"), isWritten: true)
            writer.expectField(name, bytes("alice"), isWritten: true)
            writer.field("Content-Length", 0)
            writer.field("Max-Forwards", 1_234_567_890)
            writer.field("Via", "1.1 bearward")
            writer.beginField("X-Forwarded-For")
            writer.expectValuePart(bytes("192.0.2.1"), isWritten: true)
            writer.valuePart(", ")
            writer.valuePart(7)
            writer.endField()
            writer.finish()
        }
        #expect(
            text
                == "GET /a?b HTTP/1.1\r\nHost: a.example\r\nX-Auth-Subject: alice\r\nContent-Length: 0\r\nMax-Forwards: 1234567890\r\n"
                + "Via: 1.1 bearward\r\nX-Forwarded-For: 192.0.2.1, 7\r\n\r\n")
    }

    @Test func `a target is written from its path and query`() {
        #expect(
            written { $0.expectRequestLine("GET", path: "/a", query: "b=c", isWritten: true) }
                == "GET /a?b=c HTTP/1.1\r\n")
        #expect(
            written { $0.expectRequestLine("GET", path: "/a", query: "", isWritten: true) } == "GET /a? HTTP/1.1\r\n")
    }

    @Test func `a query is written unchanged, except that bytes above 0x7F are escaped`() {
        let plain = "|{}^`\\\"<>[]?/%zz%e9"
        #expect(
            written { $0.expectRequestLine("GET", path: "/a", query: plain, isWritten: true) }
                == "GET /a?\(plain) HTTP/1.1\r\n")
        let raw = written { $0.expectRequestLine("GET", path: "/a", query: "é|\u{1F43B}", isWritten: true) }
        #expect(raw == "GET /a?%C3%A9|%F0%9F%90%BB HTTP/1.1\r\n")
        for query in ["#", "a b", "\r\n", "\u{7F}", "\t"] {
            #expect(written { $0.expectRequestLine("GET", path: "/a", query: query, isWritten: false) }.isEmpty)
        }
        for path in ["/|", "/é", "/\\", "/\""] {
            #expect(written { $0.expectRequestLine("GET", path: path, query: "", isWritten: false) }.isEmpty)
        }
    }

    @Test func `a status line has the standard reason phrase`() {
        #expect(written { $0.statusLine(401) } == "HTTP/1.1 401 Unauthorized\r\n")
        #expect(written { $0.statusLine(299) } == "HTTP/1.1 299 \r\n")
        #expect(written { $0.statusLine(7) } == "HTTP/1.1 500 Internal Server Error\r\n")
    }

    @Test func `T305 a value that could end its line is refused, and nothing is written`() throws {
        let name = try #require(FieldName("X"))
        for byte in UInt8.min...UInt8.max {
            let isAllowed = byte == 0x09 || byte >= 0x20 && byte != 0x7F
            // At the ends and in the middle of the blocks in which a value is checked.
            for place in [0, 1, 7, 8, 31, 32, 40] {
                let value = bytes(String(repeating: "a", count: place)) + [byte] + bytes("b")
                var writer = HeadWriter()
                writer.expectField("X", value, isWritten: isAllowed)
                writer.reset()
                writer.expectField(name, value, isWritten: isAllowed)
                writer.reset()
                writer.expectValuePart(value, isWritten: isAllowed)
            }
        }
    }

    @Test func `T284 a method or target that could end its line is refused`() {
        var writer = HeadWriter()
        for target in ["", "/ x", "/\r\n", "/\n", "/\0", "/é", "/#", "/\\"] {
            writer.expectRequestLine("GET", target, isWritten: false)
            writer.expectRequestLine("GET", path: target, query: "x", isWritten: false)
            // A query is forwarded unchanged, except that bytes above 0x7F are escaped.
            let isQuery = ["", "/é", "/\\"].contains(target)
            if !isQuery { writer.expectRequestLine("GET", path: "/", query: target, isWritten: false) }
        }
        for method in ["", "G T", "G\r\n", "G:"] { writer.expectRequestLine(method, "/", isWritten: false) }
    }

    @Test func `T313 a field of a head is copied byte for byte`() throws {
        var parser = RequestHeadParser()
        let fields = "hOsT:a\r\nx-EMPTY:\r\nX:  b \tc \r\nY: d\r\nZ: d \r\nW: \r\nV:\td\r\nU: e\r\nT: f\r\nS: \r\n"
        _ = try parser.parse(bytes("GET / HTTP/1.1\r\n\(fields)\r\n").span)
        let head = parser.head
        let copied = ["hOsT: a", "x-EMPTY: ", "X: b \tc", "Y: d", "Z: d", "W: ", "V: d", "U: e", "T: f", "S: "].map {
            $0 + "\r\n"
        }
        #expect(written { $0.copy(head.section) { _ in true } } == copied.joined())
        // Different choices of fields are copied in different blocks.
        for choice in 0..<1 << head.fields.count {
            let chosen = head.fields.indices.filter { choice >> $0 & 1 == 1 }
            let names = Set(chosen.map { head.fields[$0].name })
            #expect(written { $0.copy(head.section) { names.contains($0.name) } } == chosen.map { copied[$0] }.joined())
        }
    }

    @Test func `fields beyond the end of the head are not copied`() throws {
        var parser = RequestHeadParser()
        _ = try parser.parse(bytes("GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n\r\n").span)
        let head = parser.head
        #expect(written { $0.copy(1..<9, of: head.section) } == "X: b\r\n")
        #expect(written { $0.copy(2..<9, of: head.section) } == "")
    }

    @Test func `a relayed status line keeps status and reason`() throws {
        var parser = ResponseHeadParser()
        _ = try parser.parse(bytes("HTTP/1.0 404 Nothing here\r\n\r\n").span, requestMethodIsHEAD: false)
        let head = parser.head
        #expect(written { $0.statusLine(of: head) } == "HTTP/1.1 404 Nothing here\r\n")
    }

    @Test(arguments: [0, 7, 10, 99, 100, 12_345, Int.max, Int.min, -1])
    func `numbers are written in decimal`(_ number: Int) {
        #expect(written { $0.valuePart(number) } == "\(number)")
    }

    @Test func `a reset writer starts empty`() {
        var writer = HeadWriter()
        writer.field("Date", 1)
        writer.reset()
        #expect(writer.bytes.isEmpty)
        writer.finish()
        #expect(Array(writer.bytes) == Array("\r\n".utf8))
    }

    @Test func `a writer writes heads of any size`() {
        var writer = HeadWriter()
        var expected: [UInt8] = []
        for size in [1, 1000, 1024, 5000, 100_000] {
            let value = [UInt8](repeating: UInt8(ascii: "v"), count: size)
            let isWritten = writer.field("N", value)
            #expect(isWritten)
            expected += Array("N: ".utf8) + value + Array("\r\n".utf8)
            #expect(writer.count == expected.count)
        }
        #expect(Array(writer.bytes) == expected)
    }
}

extension HeadWriter {
    /// Records an issue unless the writer accepts or refuses the line as expected, and writes nothing when it refuses.
    fileprivate mutating func expectRequestLine(_ method: String, _ target: String, isWritten: Bool) {
        expect(isWritten) { $0.requestLine(method: Array(method.utf8).span, target: Array(target.utf8).span) }
    }

    fileprivate mutating func expectRequestLine(_ method: String, path: String, query: String, isWritten: Bool) {
        expect(isWritten) {
            $0.requestLine(method: Array(method.utf8).span, path: Array(path.utf8).span, query: Array(query.utf8).span)
        }
    }

    fileprivate mutating func expectField(_ name: StaticString, _ value: [UInt8], isWritten: Bool) {
        expect(isWritten) { $0.field(name, value) }
    }

    fileprivate mutating func expectField(_ name: FieldName, _ value: [UInt8], isWritten: Bool) {
        expect(isWritten) { $0.field(name, value) }
    }

    fileprivate mutating func expectValuePart(_ part: [UInt8], isWritten: Bool) {
        expect(isWritten) { $0.valuePart(part.span) }
    }

    private mutating func expect(_ isWritten: Bool, _ write: (inout HeadWriter) -> Bool) {
        let before = bytes.count
        let result = write(&self)
        #expect(result == isWritten)
        #expect((bytes.count > before) == isWritten)
    }
}
