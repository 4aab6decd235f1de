import NIOCore
import ProxySettings
import Testing

@testable import ReverseProxy

/// Size of the buffers that a channel reads into.
struct ReceiveBuffersTests {
    private func sizes(_ buffers: ReceiveBuffers) -> [Int?] {
        [buffers.nextBufferSize(), buffers.buffer(allocator: ByteBufferAllocator()).capacity]
    }

    @Test func `receive buffers grow with the bytes received, and are small while memory is out`() {
        let memory = ScriptedMemory()
        let watch = memory.watch()
        var buffers = ReceiveBuffers(within: watch)
        #expect(sizes(buffers) == [2048, 2048])
        while buffers.record(actualReadBytes: buffers.nextBufferSize() ?? 0) {}
        #expect(sizes(buffers) == [FixedLimits.read, FixedLimits.read])
        memory.use(percent: 92)
        _ = watch.look(at: 0) {}
        #expect(sizes(buffers) == [FixedLimits.read, FixedLimits.read])
        memory.use(percent: 99)
        _ = watch.look(at: 1_000_000_000) {}
        #expect(sizes(buffers) == [ReceiveBuffers.smallest, ReceiveBuffers.smallest])
        // The bytes received meanwhile do not fill a usual buffer.
        _ = buffers.record(actualReadBytes: ReceiveBuffers.smallest)
        memory.use(percent: 10)
        _ = watch.look(at: 2_000_000_000) {}
        #expect(sizes(buffers) == [FixedLimits.read, FixedLimits.read])
    }

    @Test func `without a memory watch receive buffers have their usual size`() {
        #expect(sizes(ReceiveBuffers(within: nil)) == [2048, 2048])
    }
}
