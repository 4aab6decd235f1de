import HTTPMessages
import NIOCore
import Testing

@testable import ReverseProxy

struct BodyReaderTests {
    private func text(_ buffer: ByteBuffer?) -> String? { buffer.map { String(buffer: $0) } }

    @Test func `a body of known length takes its bytes and leaves the rest`() throws {
        var reader = BodyReader(BodyFraming.length(4), trailerFields: 100)
        var first = ByteBuffer(string: "abc")
        expect(text(try reader.take(from: &first)) == "abc")
        expect(reader.rest == 1 && !reader.isComplete)
        var second = ByteBuffer(string: "dNEXT")
        expect(text(try reader.take(from: &second)) == "d")
        expect(reader.isComplete && reader.rest == 0 && reader.byteCount == 4 && second.readableBytes == 4)
        expect(try reader.take(from: &second) == nil)
    }

    @Test func `any number of chunks in one read come out as one buffer`() throws {
        var reader = BodyReader(BodyFraming.chunked, trailerFields: 100)
        var received = ByteBuffer(string: String(repeating: "1\r\na\r\n", count: 1000) + "0\r\n\r\nNEXT")
        expect(text(try reader.take(from: &received)) == String(repeating: "a", count: 1000))
        expect(reader.isComplete && reader.byteCount == 1000 && String(buffer: received) == "NEXT")
    }

    @Test func `a chunked body is decoded the same at every split of its bytes`() throws {
        let message = "3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nT: v\r\n\r\n"
        for split in 1..<message.utf8.count {
            var reader = BodyReader(ResponseBodyFraming.chunked, trailerFields: 100)
            var first = ByteBuffer(bytes: Array(message.utf8)[..<split])
            var second = ByteBuffer(bytes: Array(message.utf8)[split...])
            let content = (text(try reader.take(from: &first)) ?? "") + (text(try reader.take(from: &second)) ?? "")
            expect(content == "abc0123456789" && reader.isComplete && first.readableBytes + second.readableBytes == 0)
        }
    }

    @Test func `a chunk without its line end is refused`() {
        var reader = BodyReader(BodyFraming.chunked, trailerFields: 100)
        var received = ByteBuffer(string: "3\r\nabcX")
        #expect(throws: ChunkRejection.dataNotTerminated) { try reader.take(from: &received) }
    }

    @Test func `an absent body is complete at once, and a close-delimited body never is`() throws {
        let none = BodyReader(ResponseBodyFraming.none, trailerFields: 100)
        expect(none.isComplete && none.rest == 0)
        var open = BodyReader(ResponseBodyFraming.untilClose, trailerFields: 100)
        var received = ByteBuffer(string: "abc")
        expect(text(try open.take(from: &received)) == "abc")
        expect(!open.isComplete && open.rest == nil)
    }
}
