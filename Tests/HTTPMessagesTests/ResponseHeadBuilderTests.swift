import HTTPMessages
import TestSupport
import Testing

struct ResponseHeadBuilderTests {
    @Test(arguments: Effort.some(1...4, quick: 1))
    func `an HTTP/2 field section gets the verdict of the equivalent HTTP/1.1 response`(seed: Int) {
        var grammar = ResponseSectionGrammar(seed: UInt64(seed))
        var complete = 0
        var malformed = 0
        var rejected = 0
        for _ in 0..<2_500 {
            let (section, isHEAD) = grammar.next()
            let verdict = ResponseSectionVerdict(section, toHEAD: isHEAD)
            switch verdict {
            case .complete: complete += 1
            case .malformed: malformed += 1
            case .rejected: rejected += 1
            }
            // A gRPC type among two types does not count, and white space before a type does not hide it.
            let types = section.values(of: "content-type")
            guard types.count < 2, !types.contains(where: { [0x20, 0x09].contains($0.first) }) else { continue }
            let expected = ResponseSectionVerdict(translating: section, toHEAD: isHEAD)
            if verdict != expected { Issue.record("\(section), HEAD: \(isHEAD)\n\(verdict)\n\(expected)") }
        }
        #expect(complete > 1_000 && malformed > 300 && rejected > 20, "\(complete), \(malformed), \(rejected)")
    }

    @Test(arguments: Effort.some(1...4, quick: 1))
    func `limits refuse the same responses as in HTTP 1, with the same rejection`(seed: Int) {
        var grammar = ResponseSectionGrammar(seed: UInt64(seed + 100))
        var rejections: Set<ResponseHeadRejection> = []
        for _ in 0..<2_000 {
            var (section, isHEAD) = grammar.next()
            // In HTTP/1.1 the length comes last, and is omitted in a gRPC call.
            let length = section.fields.filter { $0.name == Array("content-length".utf8) }
            section.fields.removeAll { length.contains($0) }
            if !section.values(of: "content-type").contains(where: { $0.starts(with: "application/grpc".utf8) }) {
                section.fields += length
            }
            let (head, field, fields) = grammar.limits()
            let limits = HeadLimits(head: head, field: field, fields: fields)
            let verdict = ResponseSectionVerdict(section, toHEAD: isHEAD, limits: limits)
            // White space around a value counts only if it was sent.
            let hasBlanks = section.fields.contains {
                [0x20, 0x09].contains($0.value.first) || [0x20, 0x09].contains($0.value.last)
            }
            guard verdict != .malformed, length.count < 2, !hasBlanks else { continue }
            let expected = ResponseSectionVerdict(translating: section, toHEAD: isHEAD, limits: limits, isBare: true)
            if verdict.rejection != expected.rejection {
                Issue.record("\(section)\n\(limits)\n\(verdict)\n\(expected)")
            }
            if let rejection = verdict.rejection { rejections.insert(rejection) }
        }
        #expect(rejections.isSuperset(of: [.field(.headTooLarge), .field(.fieldTooLarge), .field(.tooManyFields)]))
    }

    private func head(_ section: FieldSection, toHEAD: Bool = false) throws -> ResponseHead {
        var builder = ResponseHeadBuilder()
        try builder.build(section, toHEAD: toHEAD)
        return builder.head
    }

    private func fault(_ section: FieldSection, limits: HeadLimits = HeadLimits()) -> ResponseHeadFault? {
        var builder = ResponseHeadBuilder(limits: limits)
        do throws(ResponseHeadFault) {
            try builder.build(section)
            return nil
        } catch {
            return error
        }
    }

    @Test func `an HTTP/2 response reads like the same response in HTTP 1`() throws {
        let head = try head(FieldSection([":status": "404", "server": "a", "content-length": "3"], endsStream: false))
        #expect(head.version == .http2)
        #expect(head.status == 404)
        #expect(head.string(head.reason) == "Not Found")
        #expect(head.framing == .length(3))
        #expect(!head.keepsAlive && !head.isInterim)
        #expect(
            String(decoding: head.bytes, as: UTF8.self)
                == "HTTP/2.0 404 Not Found\r\nserver: a\r\ncontent-length: 3\r\n\r\n")
    }

    @Test func `bytes above 0x7F are kept in a value, and white space around it is removed`() throws {
        var section = FieldSection([":status": "200", "a": " b\t"])
        section.fields[1].isNeverIndexed = true
        section.fields.append(.init(name: Array("c".utf8), value: [0xE9, 0x80, 0xFF]))
        let head = try head(section)
        #expect(head.fields.map { Array(head.value(of: $0)) } == [Array("b".utf8), [0xE9, 0x80, 0xFF]])
        #expect(head.fields.map(\.isNeverIndexed) == [true, false])
    }

    @Test func `interim heads are read before the final one`() throws {
        var builder = ResponseHeadBuilder()
        try builder.build(FieldSection([":status": "103", "link": "a"], endsStream: false))
        var head = builder.head
        #expect(head.isInterim && head.framing == .none && head.status == 103)
        builder.reset()
        try builder.build(FieldSection([":status": "200"], endsStream: false))
        builder.exchange(for: &head)
        #expect(!head.isInterim && head.framing == .chunked && head.fields.isEmpty)
    }

    private static let framings: [(String, KeyValuePairs<String, String>, Bool, Bool, ResponseBodyFraming)] = [
        ("nothing follows", [":status": "200"], true, false, .length(0)),
        ("nothing follows, as announced", [":status": "200", "content-length": "0"], true, false, .length(0)),
        ("a known length", [":status": "200", "content-length": "7"], false, false, .length(7)),
        ("an unknown length", [":status": "200"], false, false, .chunked),
        ("an answer to HEAD", [":status": "200", "content-length": "7"], true, true, .none),
        ("an answer to HEAD that goes on", [":status": "200", "content-length": "7"], false, true, .none),
        ("204", [":status": "204"], false, false, .none),
        ("304", [":status": "304", "content-length": "7"], true, false, .none),
        (
            "gRPC", [":status": "200", "content-type": "application/grpc", "content-length": "7"], false, false,
            .chunked
        ),
        ("gRPC's trailers alone", [":status": "200", "content-type": "application/grpc"], true, false, .length(0)),
    ]

    @Test(arguments: framings.indices)
    func `response body framing follows from status, content-length and the end of the stream`(index: Int) throws {
        let (name, fields, endsStream, isHEAD, framing) = Self.framings[index]
        #expect(try head(FieldSection(fields, endsStream: endsStream), toHEAD: isHEAD).framing == framing, "\(name)")
    }

    private static let faults: [(String, FieldSection, ResponseHeadFault)] = [
        ("no status", FieldSection(), .malformed(.pseudoHeader)),
        ("no status, but fields", FieldSection(["a": "b"]), .malformed(.pseudoHeader)),
        ("two", FieldSection([":status": "200", ":status": "200"]), .malformed(.pseudoHeader)),
        ("one of a request", FieldSection([":status": "200", ":path": "/"]), .malformed(.pseudoHeader)),
        ("a late one", FieldSection(["a": "b", ":status": "200"]), .malformed(.pseudoHeader)),
        ("101 (§8.6)", FieldSection([":status": "101"], endsStream: false), .malformed(.status)),
        ("a status of two digits", FieldSection([":status": "20"]), .malformed(.status)),
        ("a status with a sign", FieldSection([":status": "+20"]), .malformed(.status)),
        ("a status that is none", FieldSection([":status": "600"]), .malformed(.status)),
        ("an interim head that ends the stream (§8.1)", FieldSection([":status": "103"]), .malformed(.status)),
        ("a capital", FieldSection([":status": "200", "A": "b"]), .malformed(.invalidField)),
        ("CR LF", FieldSection([":status": "200", "a": "b\r\nc: d"]), .malformed(.invalidField)),
        ("NUL", FieldSection([":status": "200", "a": "\0"]), .malformed(.invalidField)),
        ("connection", FieldSection([":status": "200", "connection": "close"]), .malformed(.connectionField)),
        (
            "transfer-encoding", FieldSection([":status": "200", "transfer-encoding": "chunked"]),
            .malformed(.connectionField)
        ),
        ("upgrade", FieldSection([":status": "200", "upgrade": "a"]), .malformed(.connectionField)),
        (
            "two lengths", FieldSection([":status": "200", "content-length": "1", "content-length": "1"]),
            .malformed(.contentLength)
        ),
        (
            "a length that is none", FieldSection([":status": "200", "content-length": "01"]),
            .malformed(.contentLength)
        ),
        (
            "a length where nothing follows", FieldSection([":status": "200", "content-length": "1"]),
            .malformed(.contentLength)
        ),
        (
            "204 with a length", FieldSection([":status": "204", "content-length": "1"]),
            .rejected(.contentLengthWithoutContent)
        ),
        (
            "a look-alike", FieldSection([":status": "200", "content_length": "1"]),
            .rejected(.field(.framingLookAlike))
        ),
    ]

    @Test(arguments: faults)
    func `a section that is no response is refused`(name: String, section: FieldSection, expected: ResponseHeadFault) {
        #expect(fault(section) == expected, "\(name)")
    }

    @Test func `a section of more than four times the largest head is not read`() {
        var section = FieldSection([":status": "200"])
        let limits = HeadLimits(head: 100)
        section.fields.append(.init(name: Array("a".utf8), value: [UInt8](repeating: 0x61, count: 381)))
        #expect(fault(section, limits: limits) == .rejected(.field(.headTooLarge)))
        section.fields[1].value.append(0x61)
        #expect(fault(section, limits: limits) == .malformed(.fieldSectionTooLarge))
    }

    @Test func `no state of one response is left for the next, whatever its outcome`() throws {
        var builder = ResponseHeadBuilder()
        for (_, section, _) in Self.faults {
            try? builder.build(section)
            builder.reset()
            try builder.build(FieldSection([":status": "200"]))
            let head = builder.head
            #expect(String(decoding: head.bytes, as: UTF8.self) == "HTTP/2.0 200 OK\r\n\r\n")
            builder.releaseStorage()
        }
    }
}
