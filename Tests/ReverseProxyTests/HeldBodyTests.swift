import NIOCore
import Testing

@testable import ReverseProxy

struct HeldBodyTests {
    @Test func `what was taken is held in order, to the last byte that fits`() {
        var held = HeldBody()
        held.keep(nil, limit: 4)
        #expect(held.isWhole)
        #expect(held.content == nil)
        held.keep(ByteBuffer(string: "ab"), limit: 4)
        held.keep(ByteBuffer(string: "cd"), limit: 4)
        #expect(held.isWhole)
        #expect(held.content == ByteBuffer(string: "abcd"))
    }

    @Test func `past the limit nothing is held, and later parts are not taken for the whole`() {
        var held = HeldBody()
        held.keep(ByteBuffer(string: "abcd"), limit: 4)
        held.keep(ByteBuffer(string: "e"), limit: 4)
        #expect(!held.isWhole)
        #expect(held.content == nil)
        held.keep(ByteBuffer(string: "f"), limit: 4)
        #expect(!held.isWhole)
        #expect(held.content == nil)
    }

    @Test func `with no limit at all a body that has no bytes is whole`() {
        var held = HeldBody()
        held.keep(nil, limit: 0)
        #expect(held.isWhole)
        held.keep(ByteBuffer(string: "a"), limit: 0)
        #expect(!held.isWhole)
    }

    @Test func `trailers are held with the content, and count`() {
        var held = HeldBody()
        held.keep(ByteBuffer(string: "ab"), limit: 8)
        held.keep(trailers: Array("a: b\r\n".utf8), limit: 8)
        #expect(held.isWhole && held.trailers == Array("a: b\r\n".utf8))
        held.letGo()
        #expect(held.trailers.isEmpty)
        held = HeldBody()
        held.keep(ByteBuffer(string: "abc"), limit: 8)
        held.keep(trailers: Array("a: b\r\n".utf8), limit: 8)
        #expect(!held.isWhole && held.trailers.isEmpty)
    }
}
