import NIOCore
import TestSupport
import Testing

@testable import HTTP2Sessions

/// Memory of connections, counted exactly at nghttp2's allocations.
struct MemoryTests {
    @Test func `a session released in the middle of its work leaks nothing`() {
        let storage = HTTP2Storage(budgetPeriod: 30)
        do {
            let server = ServerEnd(storage: storage)
            server.read(
                Wire.request(Wire.post, ends: false) + Wire.frame(.data, stream: 1, [1, 2]) + Wire.request(stream: 3)
                    + Wire.frame(.headers, stream: 5, Wire.block([(":method", "GET")])))
            _ = server.events()
            server.answer(3, String(repeating: "a", count: 100_000))
            server.session.serialize(limit: 20_000)
            let client = ClientEnd(storage: storage)
            client.request(.init(Wire.post), ends: false)
            client.request()
            #expect(storage.libraryAllocations > 10)
        }
        #expect(storage.libraryAllocations == 0)
    }

    @Test(.slow) func `a hundred thousand requests on one connection do not grow its memory`() {
        let pair = Connection()
        let memory = pair.storage.library.memory
        let content = ByteBuffer(string: "hello")
        let (request, head) = (
            OutgoingFields(Wire.get + [("authorization", "Bearer abc")]), OutgoingFields([(":status", "200")])
        )
        var (live, system) = (0, 0)
        for number in 0..<100_000 {
            _ = pair.client.session.submitRequest(request, endsStream: true)
            Self.carry(pair.client, pair.server)
            while let event = pair.server.session.nextEvent() {
                guard case .head(let stream, let block, _) = event else { continue }
                pair.storage.recycle(block)
                pair.server.session.submitHead(head, to: stream, endsStream: false)
                pair.server.session.append(content, to: stream)
                pair.server.session.end(stream)
            }
            Self.carry(pair.server, pair.client)
            while let event = pair.client.session.nextEvent() {
                if case .head(_, let block, _) = event { pair.storage.recycle(block) }
                if case .data(let stream, let content, _) = event {
                    pair.client.session.consume(stream, content.readableBytes)
                }
            }
            if number == 9999 { (live, system) = (memory.liveCount, memory.systemCount) }
        }
        #expect(pair.client.session.streamCount == 0 && !pair.client.session.hasFailed)
        #expect(memory.liveCount == live)
        #expect(memory.systemCount == system)
    }

    private static func carry(_ sender: SessionEnd<some HTTP2Session>, _ receiver: SessionEnd<some HTTP2Session>) {
        sender.session.serialize(limit: .max)
        while let bytes = sender.session.nextOutput() {
            receiver.session.receive(bytes, at: 0)
            sender.storage.recycle(bytes)
        }
    }

    @Test func `memory freed by nghttp2 is reused, whatever its size`() {
        let memory = LibraryMemory()
        for size in [0, 1, 32, 33, 2048, 2049, 100_000] {
            let block = unsafe memory.allocateZeroed(1, size)
            for index in 0..<size { unsafe block?.storeBytes(of: 7, toByteOffset: index, as: UInt8.self) }
            let larger = unsafe memory.reallocate(block, 2 * size + 100)
            let isMoved = (0..<size).allSatisfy { unsafe larger?.load(fromByteOffset: $0, as: UInt8.self) == 7 }
            #expect(isMoved)
            unsafe memory.free(larger)
            let zeroed = unsafe memory.allocateZeroed(2 * size + 100, 1)
            let isZero = (0..<2 * size + 100).allSatisfy {
                unsafe zeroed?.load(fromByteOffset: $0, as: UInt8.self) == 0
            }
            #expect(isZero)
            unsafe memory.free(zeroed)
        }
        #expect(memory.liveCount == 0)
        #expect(unsafe memory.allocateZeroed(.max, 2) == nil)
        unsafe memory.free(nil)
        #expect(memory.liveCount == 0)
    }

    @Test func `at most one MiB of freed memory is kept`() {
        let memory = LibraryMemory()
        let blocks = unsafe (0..<1000).map { _ in unsafe memory.allocate(2000) }
        unsafe blocks.forEach { unsafe memory.free($0) }
        #expect(memory.liveCount == 0)
        #expect(memory.keptBytes == 1 << 20)
    }

    @Test func `an idle connection holds little memory`() {
        let storage = HTTP2Storage(budgetPeriod: 30)
        let before = storage.library.memory.liveBytes
        let server = ServerEnd(storage: storage)
        server.read(Wire.request())
        _ = server.events()
        server.answer(1, "hello")
        _ = server.output()
        _ = server.events()
        // 16.4 KiB of it are nghttp2's buffer for large frames, which is hardly touched.
        #expect(storage.library.memory.liveBytes - before < 28 * 1024)
        #expect(server.session.section == nil)
    }
}
