import NIOCore
import TestSupport
import Testing

@testable import ReverseProxy

struct FrameCutterTests {
    struct Frame: Equatable {
        var type: UInt8
        var flags: UInt8
        var stream: UInt32
        var payload: [UInt8]

        var bytes: [UInt8] {
            let count = payload.count
            let head = [UInt8(count >> 16), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF), type, flags]
            return head + (0..<4).map { UInt8(truncatingIfNeeded: stream >> UInt32(24 - 8 * $0)) } + payload
        }

        static func all(in bytes: [UInt8]) -> [Frame] {
            var (frames, rest): ([Frame], ArraySlice<UInt8>) = ([], bytes[...])
            while rest.count >= 9 {
                let head = Array(rest.prefix(9))
                let count = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
                let stream = head[5...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                let payload = Array(rest.dropFirst(9).prefix(count))
                frames.append(Frame(type: head[3], flags: head[4], stream: stream, payload: payload))
                rest = rest.dropFirst(9 + count)
            }
            return frames
        }
    }

    private func cut(_ parts: [[UInt8]], skipping count: Int = 0) -> [UInt8] {
        var cutter = FrameCutter(skipping: count)
        return parts.flatMap { cutter.cut(ByteBuffer(bytes: $0)) }.flatMap { Array(buffer: $0) }
    }

    private func frame(_ type: UInt8, _ flags: UInt8, _ count: Int) -> Frame {
        Frame(type: type, flags: flags, stream: 7, payload: (0..<count).map { UInt8(truncatingIfNeeded: $0 / 3) })
    }

    /// Type and flags of a frame, and the size, type and flags of what is made of it.
    static let cuts: [(type: UInt8, flags: UInt8, count: Int, parts: [(count: Int, type: UInt8, flags: UInt8)])] = [
        (1, 5, 16_384, [(16_384, 1, 5)]),
        (1, 5, 16_385, [(16_384, 1, 1), (1, 9, 4)]),
        (1, 4, 32_768, [(16_384, 1, 0), (16_384, 9, 4)]),
        (1, 4, 40_000, [(16_384, 1, 0), (16_384, 9, 0), (7_232, 9, 4)]),
        (0, 1, 16_385, [(16_384, 0, 0), (1, 0, 1)]),
        (0, 0, 16_385, [(16_384, 0, 0), (1, 0, 0)]),
        (0, 1, 0, [(0, 0, 1)]),
        (7, 0, 16_385, [(16_385, 7, 0)]),
    ]

    @Test(arguments: cuts.indices) func `a frame that is too large is cut, and its end said once`(index: Int) {
        let example = Self.cuts[index]
        let whole = frame(example.type, example.flags, example.count)
        let parts = Frame.all(in: cut([whole.bytes]))
        #expect(parts.map(\.payload.count) == example.parts.map(\.count))
        #expect(parts.map(\.type) == example.parts.map(\.type))
        #expect(parts.map(\.flags) == example.parts.map(\.flags))
        #expect(parts.allSatisfy { $0.stream == 7 })
        #expect(parts.flatMap(\.payload) == whole.payload)
    }

    @Test func `what is small enough is given out as it came, in one piece`() {
        var cutter = FrameCutter(skipping: 3)
        let bytes = [1, 2, 3] + frame(1, 4, 100).bytes + frame(0, 0, 16_384).bytes + frame(4, 1, 0).bytes
        #expect(cutter.cut(ByteBuffer(bytes: bytes)) == [ByteBuffer(bytes: bytes)])
        #expect(cutter.cut(ByteBuffer()).isEmpty)
    }

    @Test(arguments: 0..<8) func `however the bytes are split, the same frames come out`(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let preface = Array("preface".utf8)
        let sizes = [0, 1, 9, 16_383, 16_384, 16_385, 32_768, 32_769, 70_000]
        let frames = (0..<12).map { _ in
            frame(generator.pick([0, 0, 1, 1, 3, 4, 6]), generator.pick([0, 1, 4, 5]), generator.pick(sizes))
        }
        let bytes = preface + frames.flatMap(\.bytes)
        var parts: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            parts.append(Array(rest.prefix(generator.pick([1, 2, 8, 9, 10, 100, 16_000, 50_000]))))
            rest = rest.dropFirst(parts.last?.count ?? 0)
        }
        let output = cut(parts, skipping: preface.count)
        #expect(output == cut([bytes], skipping: preface.count))
        #expect(output.starts(with: preface))
        let pieces = Frame.all(in: Array(output.dropFirst(preface.count)))
        #expect(pieces.flatMap(\.payload) == frames.flatMap(\.payload))
        #expect(pieces.allSatisfy { $0.payload.count <= 16_384 || ![0, 1].contains($0.type) })
    }
}
