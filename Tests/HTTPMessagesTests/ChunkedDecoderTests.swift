import HTTPMessages
import Testing

struct ChunkedDecoderTests {
    struct Case: Sendable, CustomStringConvertible {
        var name: String
        var body: String
        var rejection: ChunkRejection?

        init(_ name: String, _ body: String, _ rejection: ChunkRejection?) {
            self.name = name
            self.body = body
            self.rejection = rejection
        }

        var description: String { name }
    }

    static let cases: [Case] = [
        Case("T227 0x5", "0x5\r\nhello\r\n0\r\n\r\n", .invalidSize),
        Case("T227 +5", "+5\r\nhello\r\n0\r\n\r\n", .invalidSize),
        Case("T227 -1", "-1\r\nhello\r\n0\r\n\r\n", .invalidSize),
        Case("T227 a space before", " 5\r\nhello\r\n0\r\n\r\n", .invalidSize),
        Case("T227 a space after", "5 \r\nhello\r\n0\r\n\r\n", .invalidSize),
        Case("T227 a tab after", "5\t\r\nhello\r\n0\r\n\r\n", .invalidSize),
        Case("T227 5_0", "5_0\r\nhello\r\n0\r\n\r\n", .invalidSize),
        Case("T227 empty", "\r\nhello\r\n0\r\n\r\n", .missingSize),
        Case("T227 an extension alone", ";a\r\nhello\r\n0\r\n\r\n", .missingSize),
        Case("T227 g", "g\r\nhello\r\n0\r\n\r\n", .invalidSize),
        Case("T227 17 digits", "00000000000000005\r\nhello\r\n0\r\n\r\n", .sizeTooLong),
        Case("T227 FFFFFFFFFFFFFFFF", "FFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n", .sizeTooLong),
        Case("T227 2^64 + 5", "10000000000000005\r\nhello\r\n0\r\n\r\n", .sizeTooLong),
        Case("T227 nine digits", "000000005\r\nhello\r\n0\r\n\r\n", .sizeTooLong),
        Case("T227 eight digits", "00000005\r\nhello\r\n00000000\r\n\r\n", nil),
        Case("both cases of digits", "A\r\nhellohello\r\na\r\nhellohello\r\n0\r\n\r\n", nil),
        Case("T228 a plain extension", "5;a\r\nhello\r\n0;b=c;d\r\n\r\n", nil),
        Case("T228 a quoted value", "5;a=\"b\\\" ;\tc\"\r\nhello\r\n0\r\n\r\n", nil),
        Case("T228 quoted CR LF", "5;a=\"\r\n\"\r\nhello\r\n0\r\n\r\n", .malformedExtension),
        Case("T228 quotes not closed", "5;a=\"b\r\nhello\r\n0\r\n\r\n", .malformedExtension),
        Case("T228 text after the quotes", "5;a=\"b\"c\r\nhello\r\n0\r\n\r\n", .malformedExtension),
        Case("T228 a control byte in quotes", "5;a=\"\u{1}\"\r\nhello\r\n0\r\n\r\n", .malformedExtension),
        Case("T228 an escaped control byte", "5;a=\"\\\u{1}\"\r\nhello\r\n0\r\n\r\n", .malformedExtension),
        Case("T228 obs-text", "5;a=\"ü\"\r\nhello\r\n0\r\n\r\n", .malformedExtension),
        Case("T228 a semicolon alone", "5;\r\nhello\r\n0\r\n\r\n", .malformedExtension),
        Case("T228 two semicolons", "5;;a\r\nhello\r\n0\r\n\r\n", .malformedExtension),
        Case("T228 no value", "5;a=\r\nhello\r\n0\r\n\r\n", .malformedExtension),
        Case("T228 white space", "5; a\r\nhello\r\n0\r\n\r\n", .malformedExtension),
        Case("T228 white space after", "5;a \r\nhello\r\n0\r\n\r\n", .malformedExtension),
        Case("T228 CR CR", "5;a\r\r\nhello\r\n0\r\n\r\n", .bareCarriageReturn),
        Case("T228 LF in an extension", "5;a\nhello\r\n0\r\n\r\n", .bareLineFeed),
        Case("T213 LF after the size", "5\nhello\r\n0\r\n\r\n", .bareLineFeed),
        Case("T214 CR after the size", "5\rhello\r\n0\r\n\r\n", .bareCarriageReturn),
        Case("T229 other bytes after the data", "5\r\nhelloXX0\r\n\r\n", .dataNotTerminated),
        Case("T229 LF after the data", "5\r\nhello\n0\r\n\r\n", .dataNotTerminated),
        Case("T229 CR after the data", "5\r\nhello\r0\r\n\r\n", .dataNotTerminated),
        Case("T229 more data than said", "4\r\nhello\r\n0\r\n\r\n", .dataNotTerminated),
        Case(
            "T230 trailers", "0\r\nTransfer-Encoding: x\r\nContent-Length: 5\r\nHost: b\r\nAuthorization: y\r\n\r\n",
            nil),
        Case("T232 a request as a trailer", "0\r\nX:POST / HTTP/1.1\r\n\r\n", nil),
        Case("T217 a space before the colon", "0\r\nX : y\r\n\r\n", .invalidTrailerName),
        Case("T217 no colon", "0\r\nX\r\n\r\n", .missingColonInTrailer),
        Case("T217 an empty name", "0\r\n: y\r\n\r\n", .emptyTrailerName),
        Case("a separator as a name", "0\r\n(: y\r\n\r\n", .invalidTrailerName),
        Case("T216 a fold", "0\r\nX: y\r\n z\r\n\r\n", .foldedTrailer),
        Case("T213 LF in place of the last line end", "0\r\n\n", .bareLineFeed),
        Case("T213 LF after a trailer", "0\r\nX: y\n\r\n", .bareLineFeed),
        Case("T213 LF in a trailer's name", "0\r\nX\n\r\n", .bareLineFeed),
        Case("T214 CR in a trailer", "0\r\nX: y\rz\r\n\r\n", .bareCarriageReturn),
        Case("T215 CR X as the end", "0\r\n\rX", .bareCarriageReturn),
        Case("a control byte in a trailer", "0\r\nX: \0\r\n\r\n", .controlByteInTrailer),
        Case("DEL in a trailer", "0\r\nX: \u{7F}\r\n\r\n", .controlByteInTrailer),
        Case("obs-text in a trailer's value", "0\r\nX: ü\r\n\r\n", nil),
        Case("obs-text in a trailer's name", "0\r\nXü: y\r\n\r\n", .invalidTrailerName),
        Case("the empty body", "0\r\n\r\n", nil),
    ]

    @Test(arguments: cases)
    func `a chunked body has the verdict of its threat case`(_ body: Case) {
        let outcome = DecodedChunks(body.body)
        #expect(outcome.rejection == body.rejection)
        #expect(outcome.isAtEnd == (body.rejection == nil))
        if body.rejection == nil { #expect(outcome.consumed == body.body.utf8.count) }
    }

    @Test(arguments: cases)
    func `T247 verdict and data are the same for pieces of any size`(_ body: Case) {
        let whole = DecodedChunks(body.body)
        for size in 1...body.body.utf8.count {
            let pieces = DecodedChunks(body.body, pieceSize: size)
            #expect(pieces.rejection == whole.rejection)
            #expect(pieces.isAtEnd == whole.isAtEnd)
            #expect(pieces.data == whole.data)
        }
    }

    @Test(arguments: cases.filter { $0.rejection == nil })
    func `a chunked body cut short at any byte is neither complete nor refused`(_ body: Case) {
        let bytes = Array(body.body.utf8)
        for count in 0..<bytes.count {
            let outcome = DecodedChunks(Array(bytes.prefix(count)))
            #expect(!outcome.isAtEnd)
            #expect(outcome.rejection == nil)
            #expect(count == 0 || outcome.consumed == count)
        }
    }

    @Test func `chunk data is located in the input, and the following request is left unread`() throws {
        let bytes = Array("5\r\nhello\r\n1;x\r\n!\r\n0\r\nT: u\r\n\r\nGET /".utf8)
        let outcome = DecodedChunks(bytes)
        #expect(outcome.data == Array("hello!".utf8))
        #expect(outcome.isAtEnd)
        #expect(Array(bytes.dropFirst(outcome.consumed)) == Array("GET /".utf8))
        var decoder = ChunkedDecoder()
        let first = try decoder.next(bytes.span)
        #expect(first.consumed == 8)
        #expect(first.event == .data(3..<8))
    }

    @Test func `after the end no bytes are consumed, and a rejection is repeated`() throws {
        var decoder = ChunkedDecoder()
        _ = try decoder.next(Array("0\r\n\r\n".utf8).span)
        let isAtEnd = decoder.isAtEnd
        #expect(isAtEnd)
        let step = try decoder.next([0x41].span)
        #expect(step.consumed == 0)
        #expect(step.event == .end)
        var refused = ChunkedDecoder()
        #expect(throws: ChunkRejection.invalidSize) { try refused.next([0x78].span) }
        #expect(throws: ChunkRejection.invalidSize) { try refused.next([0x30].span) }
    }

    @Test func `T228 the extensions of a chunk are limited`() {
        func body(_ count: Int) -> String { "5;" + String(repeating: "a", count: count - 1) + "\r\nhello\r\n0\r\n\r\n" }
        #expect(DecodedChunks(body(256)).isAtEnd)
        #expect(DecodedChunks(body(257)).rejection == .extensionTooLong)
    }

    @Test func `T228 the extensions of a body are limited`() {
        let chunk = "1;" + String(repeating: "a", count: 199) + "\r\nx\r\n"
        let limits = ChunkLimits(chunkExtensions: 1_000)
        #expect(DecodedChunks(String(repeating: chunk, count: 5) + "0\r\n\r\n", limits: limits).isAtEnd)
        #expect(
            DecodedChunks(String(repeating: chunk, count: 5) + "0;a\r\n\r\n", limits: limits).rejection
                == .tooManyExtensionBytes)
        let whole = "1;" + String(repeating: "a", count: 255) + "\r\nx\r\n"
        #expect(DecodedChunks(String(repeating: whole, count: 16) + "0\r\n\r\n").rejection == .tooManyExtensionBytes)
    }

    @Test func `T231 the trailer section is limited`() {
        func body(_ count: Int) -> String { "0\r\nX:" + String(repeating: "a", count: count - 6) + "\r\n\r\n" }
        #expect(DecodedChunks(body(8_192)).isAtEnd)
        #expect(DecodedChunks(body(8_193)).rejection == .trailersTooLarge)
        let line = "X: " + String(repeating: "a", count: 1_000) + "\r\n"
        #expect(DecodedChunks("0\r\n" + String(repeating: line, count: 33)).rejection == .trailersTooLarge)
    }

    @Test func `the number of trailers is limited`() {
        let limits = ChunkLimits(trailerFields: 3)
        #expect(DecodedChunks("0\r\n" + String(repeating: "X: y\r\n", count: 3) + "\r\n", limits: limits).isAtEnd)
        #expect(
            DecodedChunks("0\r\n" + String(repeating: "X: y\r\n", count: 4) + "\r\n", limits: limits).rejection
                == .tooManyTrailers)
    }

    @Test func `T227 each byte after a chunk size is a digit, an end or refused`() {
        for byte in UInt8.min...UInt8.max {
            let outcome = DecodedChunks([0x31, byte])
            let expected: ChunkRejection? =
                switch byte {
                case 0x30...0x39, 0x41...0x46, 0x61...0x66, 0x0D, 0x3B: nil
                case 0x0A: .bareLineFeed
                default: .invalidSize
                }
            #expect(outcome.rejection == expected, "byte \(byte)")
        }
    }

    @Test func `encoded chunks are decoded to the same bytes`() {
        var bytes: [UInt8] = []
        for count in [1, 15, 16, 255, 256, 4_096, 70_000] {
            ChunkedEncoder.appendSize(count, to: &bytes)
            bytes += Array(repeating: 0x61, count: count) + ChunkedEncoder.dataEnd
        }
        bytes += ChunkedEncoder.terminator
        let outcome = DecodedChunks(bytes)
        #expect(outcome.isAtEnd)
        #expect(outcome.consumed == bytes.count)
        #expect(outcome.data.count == 1 + 15 + 16 + 255 + 256 + 4_096 + 70_000)
    }

    @Test func `chunk sizes are written in hexadecimal, and no chunk is written for empty data`() {
        func size(_ count: Int) -> String {
            var bytes: [UInt8] = []
            ChunkedEncoder.appendSize(count, to: &bytes)
            return String(decoding: bytes, as: UTF8.self)
        }
        #expect(size(1) == "1\r\n")
        #expect(size(10) == "a\r\n")
        #expect(size(16) == "10\r\n")
        #expect(size(65_535) == "ffff\r\n")
        #expect(size(.max) == "7fffffffffffffff\r\n")
        #expect(size(0) == "")
        #expect(size(-1) == "")
    }
}
