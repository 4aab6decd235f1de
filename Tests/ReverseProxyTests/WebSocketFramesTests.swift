import TestSupport
import Testing

@testable import ReverseProxy

@Suite struct WebSocketFramesTests {
    /// A frame with a payload of this length.
    private static func frame(_ count: Int, isMasked: Bool) -> [UInt8] {
        let mask: UInt8 = isMasked ? 0x80 : 0
        let length: [UInt8] =
            switch count {
            case ..<126: [UInt8(count) | mask]
            case ..<65_536: [126 | mask, UInt8(count >> 8), UInt8(count & 0xFF)]
            default: [127 | mask] + (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) }
            }
        return [0x82] + length + (isMasked ? [1, 2, 3, 4] : []) + [UInt8](repeating: 0x88, count: count)
    }

    @Test(arguments: [0, 1, 125, 126, 127, 65_535, 65_536, 70_000], [false, true])
    func `a frame ends with its last byte, however its bytes are split`(count: Int, isMasked: Bool) {
        let bytes = Self.frame(count, isMasked: isMasked)
        for size in [1, 2, 3, 7, 1000, bytes.count] {
            var frames = WebSocketFrames()
            var start = 0
            while start < bytes.count {
                let end = min(start + size, bytes.count)
                frames.take(bytes[start..<end].span)
                start = end
                #expect(frames.isBetweenFrames == (start == bytes.count))
            }
        }
    }

    @Test func `frame boundaries are found in pieces of any size`() {
        var random = SeededGenerator(seed: 7)
        var bytes: [UInt8] = []
        var ends: Set<Int> = [0]
        for _ in 0..<200 {
            bytes += Self.frame(Int.random(in: 0...300, using: &random), isMasked: Bool.random(using: &random))
            ends.insert(bytes.count)
        }
        var frames = WebSocketFrames()
        var start = 0
        while start < bytes.count {
            let end = min(start + Int.random(in: 1...40, using: &random), bytes.count)
            frames.take(bytes[start..<end].span)
            start = end
            #expect(frames.isBetweenFrames == ends.contains(start))
        }
    }

    @Test func `the maximum frame length does not overflow`() {
        var frames = WebSocketFrames()
        frames.take(([0x82, 0x7F] + [UInt8](repeating: 0xFF, count: 8)).span)
        #expect(!frames.isBetweenFrames)
        frames.take([UInt8](repeating: 0, count: 100_000).span)
        #expect(!frames.isBetweenFrames)
    }

    @Test func `a close frame has its status code and reason`() {
        #expect(WebSocketFrames.close(1008, "bye") == [0x88, 5, 0x03, 0xF0] + Array("bye".utf8))
        #expect(WebSocketFrames.close(1008, "b", mask: [1, 2, 3, 4]) == [0x88, 0x83, 1, 2, 3, 4, 0x02, 0xF2, 0x61])
        #expect(WebSocketFrames.close(1008, String(repeating: "x", count: 300)).count == 127)
    }
}
