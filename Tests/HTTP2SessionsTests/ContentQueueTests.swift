import NIOCore
import Testing

@testable import HTTP2Sessions

struct ContentQueueTests {
    @Test(arguments: [1, 50, 2047]) func `queued small pieces of content do not retain their receive buffers`(size: Int)
    {
        var queue = ContentQueue()
        var sent: [UInt8] = []
        while queue.byteCount < 32 * 1024 {
            var received = ByteBuffer(repeating: UInt8(truncatingIfNeeded: sent.count), count: 16 * 1024)
            guard let piece = received.readSlice(length: size) else { return }
            sent += piece.readableBytesView
            queue.append(piece)
        }
        // Of joined pieces at most the last keeps its receive buffer.
        let most = queue.byteCount * 16 * 1024 / 2048 + 16 * 1024
        #expect(queue.storageByteCount <= (size < 1024 ? 4 * queue.byteCount + 16 * 1024 : most))
        var taken = [UInt8](repeating: 0, count: sent.count)
        unsafe taken.withUnsafeMutableBytes { target in
            while !queue.isEmpty {
                let next = queue.next(most: queue.byteCount)
                guard next.count > 0, let rest = unsafe target.baseAddress?.advanced(by: sent.count - queue.byteCount)
                else { return }
                unsafe queue.move(next.count, to: UnsafeMutableRawBufferPointer(start: rest, count: next.count))
            }
        }
        #expect(taken == sent)
    }
}
