import Testing

@testable import HTTP2Sessions

struct FrameScannerTests {
    /// A preface and one frame of every kind that the scanner reads, with the expected result.
    private static let bytes: [UInt8] =
        Wire.preface
        + Wire.frame(.settings, stream: 0) + Wire.frame(.headers, flags: 5, stream: 1, [1, 2, 3])
        + Wire.frame(.data, stream: 1, [7, 7]) + Wire.frame(.data, flags: 1, stream: 1)
        + Wire.frame(.data, flags: 9, stream: 1, [3, 7, 0, 0, 0])
        + Wire.frame(.data, flags: 8, stream: 1, [9, 7])
        + Wire.frame(.data, flags: 8, stream: 1) + Wire.frame(.resetStream, stream: 3, [0, 0, 0, 8])
        + Wire.frame(.resetStream, stream: 3, [1])
        + Wire.frame(.ping, flags: 1, stream: 0, [UInt8](repeating: 1, count: 8))
        + [0, 1, 0, 200, 1, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 256)

    private static let frames: [FrameScanner.Frame] = [
        .init(type: 4), .init(type: 1, stream: 1, content: 3, endsStream: true), .init(type: 0, stream: 1, content: 2),
        .init(type: 0, stream: 1, endsStream: true), .init(type: 0, stream: 1, content: 1, endsStream: true),
        .init(type: 0, stream: 1), .init(type: 0, stream: 1), .init(type: 3, stream: 3, content: 4, errorCode: 8),
        .init(type: 3, stream: 3, content: 1, errorCode: 1), .init(type: 6, content: 8), .init(type: 200, content: 256),
    ]

    private static func scan(_ pieces: [ArraySlice<UInt8>]) -> [FrameScanner.Frame] {
        var scanner = FrameScanner(skipping: Wire.preface.count)
        var frames: [FrameScanner.Frame] = []
        for piece in pieces {
            let bytes = Array(piece)
            var index = 0
            while let frame = scanner.next(in: bytes.span, at: &index) { frames.append(frame) }
            #expect(index == bytes.count)
        }
        return frames
    }

    @Test func `frames are scanned without their padding`() {
        #expect(Self.scan([Self.bytes[...]]) == Self.frames)
    }

    @Test func `the frame scanner finds the same frames however the bytes are split`() {
        #expect(Self.scan(Self.bytes.indices.map { Self.bytes[$0...$0] }) == Self.frames)
        for cut in Self.bytes.indices { #expect(Self.scan([Self.bytes[..<cut], Self.bytes[cut...]]) == Self.frames) }
    }
}
