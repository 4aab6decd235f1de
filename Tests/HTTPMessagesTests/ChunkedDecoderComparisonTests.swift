import HTTPMessages
import NIOHTTP1
import TestSupport
import Testing

/// Chunked bodies from a grammar, some damaged, compared with SwiftNIO's decoder.
struct ChunkedDecoderComparisonTests {
    private static let head = Array("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
    private static let nextRequest = Array("GET /next HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
    private static let damages: [UInt8] = Array("\0\t\n\r \";:=0159AaFfgx".utf8) + [0x80, 0xFF]

    @Test(arguments: 1...4)
    func `SwiftNIO decodes every accepted chunked body to the same bytes and end`(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        var accepted = 0
        for _ in 0..<2_000 {
            let bytes = body(&generator)
            let outcome = DecodedChunks(bytes)
            let split = DecodedChunks(bytes, pieceSize: Int.random(in: 1...7, using: &generator))
            #expect(split.data == outcome.data)
            #expect(split.rejection == outcome.rejection)
            #expect(split.isAtEnd == outcome.isAtEnd)
            guard outcome.isAtEnd else { continue }
            accepted += 1
            let peer = try PeerDecoder(Self.head + bytes.prefix(outcome.consumed) + Self.nextRequest)
            let text = Comment(rawValue: String(decoding: bytes, as: UTF8.self).debugDescription)
            #expect(peer.error == nil, text)
            #expect(peer.bodies == [outcome.data, []], text)
            #expect(peer.heads.map(\.uri) == ["/", "/next"], text)
            #expect(peer.ended == 2, text)
        }
        #expect(accepted > 500)
    }

    private func body(_ generator: inout SeededGenerator) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 0...4, using: &generator) {
            let size = Int.random(in: 1...40, using: &generator)
            let digits = String(size, radix: 16, uppercase: generator.once(in: 2))
            let padding = String(repeating: "0", count: Int.random(in: 0...3, using: &generator))
            let chunkExtension = generator.pick(["", "", ";a", ";a=b;c", ";a=\"b c\"", ";a=\"\\\"\""])
            bytes += Array("\(padding)\(digits)\(chunkExtension)\r\n".utf8)
            bytes += (0..<size).map { _ in UInt8.random(in: 0...255, using: &generator) }
            bytes += [0x0D, 0x0A]
        }
        bytes += Array("0\r\n\(generator.pick(["", "", "X: y\r\n", "X:\r\nY: z\r\n"]))\r\n".utf8)
        guard generator.once(in: 2) else { return bytes }
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        if generator.once(in: 2) { bytes.remove(at: place) }
        bytes.insert(generator.pick(Self.damages), at: place)
        return bytes
    }
}
