import Testing

@testable import KeySetFetching

struct GzipDecoderTests {
    /// "hello", compressed.
    private static let hello: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x86,
        0xA6, 0x10, 0x36, 0x05,
        0x00, 0x00, 0x00,
    ]
    /// Empty content, compressed.
    private static let nothing: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00,
    ]
    private static let text = Array("hello".utf8)

    @Test func `a gzip member is decoded completely`() throws {
        #expect(try GzipDecoder.decode(Self.hello, limit: 100) == Self.text)
        #expect(try GzipDecoder.decode(Self.nothing, limit: 100).isEmpty)
        #expect(try GzipDecoder.decode(Self.nothing, limit: 0).isEmpty)
    }

    @Test func `the contents of several gzip members are concatenated`() throws {
        let members = Self.nothing + Self.hello + Self.nothing + Self.hello
        #expect(try GzipDecoder.decode(members, limit: 10) == Self.text + Self.text)
    }

    @Test func `content up to the limit is decoded, and one byte more is refused, in one member or several`() throws {
        #expect(try GzipDecoder.decode(Self.hello, limit: 5) == Self.text)
        #expect(throws: GzipRejection.tooLong) { try GzipDecoder.decode(Self.hello, limit: 4) }
        #expect(throws: GzipRejection.tooLong) { try GzipDecoder.decode(Self.hello + Self.hello, limit: 9) }
        #expect(throws: GzipRejection.tooLong) { try GzipDecoder.decode(Self.hello, limit: 0) }
        #expect(throws: GzipRejection.tooLong) { try GzipDecoder.decode(Self.hello, limit: -1) }
    }

    @Test func `gzip data cut off anywhere within a member is refused`() {
        for whole in [Self.hello, Self.hello + Self.hello] {
            for count in 0..<whole.count where count != Self.hello.count {
                #expect(throws: GzipRejection.notGzip) {
                    try GzipDecoder.decode(Array(whole.prefix(count)), limit: 100)
                }
            }
        }
    }

    @Test func `gzip data with a changed byte, or other bytes after a member, is refused`() {
        // The last eight bytes are the checksum and the length.
        for index in Self.hello.indices.suffix(8) {
            var damaged = Self.hello
            damaged[index] ^= 1
            #expect(throws: GzipRejection.notGzip) { try GzipDecoder.decode(damaged, limit: 100) }
            #expect(throws: GzipRejection.notGzip) { try GzipDecoder.decode(Self.hello + damaged, limit: 100) }
        }
        for rest in [[0], [0x1F], Self.text] as [[UInt8]] {
            #expect(throws: GzipRejection.notGzip) { try GzipDecoder.decode(Self.hello + rest, limit: 100) }
        }
        // zlib's own format (RFC 1950), which is another coding.
        #expect(throws: GzipRejection.notGzip) {
            try GzipDecoder.decode([0x78, 0x9C, 0x03, 0, 0, 0, 0, 1], limit: 100)
        }
    }
}
