import TestSupport
import Testing

@testable import SharedState

/// Texts that processes share through a real server, and through misbehaving ones.
@Suite(.enabled(if: RedisServer.isThere, "redis-server is not installed"), .timeLimit(.minutes(2)))
struct SharedRecordsTests {
    private static func records(_ port: Int, name: String = "test") -> SharedRecords {
        let settings = StoreSettings(host: "127.0.0.1", port: port, secret: [UInt8](repeating: 7, count: 32))
        return SharedRecords(settings, name: name, orderLength: 2)
    }

    private static func record(_ name: String, _ text: String, over: Int64 = 4_000_000_000) -> SharedRecord {
        SharedRecord(name: Array(name.utf8), text: Array(text.utf8), over: over)
    }

    private static func texts(_ page: RecordPage) -> [String] { page.texts.map { String(decoding: $0, as: UTF8.self) } }

    /// Waits for the server, which may not have started yet.
    private static func ready(_ records: SharedRecords) async throws {
        let end = ContinuousClock.now + .seconds(20)
        while true {
            do throws(StoreFault) {
                _ = try await records.read(after: nil)
                return
            } catch {
                try #require(ContinuousClock.now < end, "\(error.text)")
                try await Task.sleep(for: .milliseconds(10))
            }
        }
    }

    @Test func `records written by one gateway are read by the others once, and the greater text of a name counts`()
        async throws
    {
        let server = try RedisServer()
        let (one, other) = (Self.records(server.port), Self.records(server.port))
        try await Self.ready(one)
        var page = try await other.read(after: nil)
        #expect(page == RecordPage(isAnew: true, texts: [], cursor: nil, isLast: true))
        try await one.write([Self.record("a", "01 x"), Self.record("b", "01 y")])
        page = try await other.read(after: page.cursor)
        #expect(page.isAnew && page.isLast && Self.texts(page) == ["01 x", "01 y"])
        #expect(Self.texts(try await other.read(after: page.cursor)).isEmpty)
        try await one.write([
            Self.record("a", "00 z"), Self.record("a", "01 z"), Self.record("a", "02 x"), Self.record("c", "00 c"),
        ])
        let next = try await other.read(after: page.cursor)
        #expect(!next.isAnew && Self.texts(next) == ["02 x", "00 c"])
        #expect(Self.texts(try await other.read(after: nil)) == ["01 y", "02 x", "00 c"])
        // Another list has its own texts.
        #expect(Self.texts(try await Self.records(server.port, name: "other").read(after: nil)).isEmpty)
    }

    @Test func `long lists are read in pages, long texts completely, and expired records are deleted`() async throws {
        let server = try RedisServer()
        let records = Self.records(server.port)
        try await Self.ready(records)
        let long = "01" + String(repeating: "x", count: 100_000)
        try await records.write(
            [Self.record("old", "01", over: 1)] + (0..<49).map { Self.record("n\($0)", $0 == 0 ? long : "01 short") })
        try await records.write([Self.record("last", "01 last")])
        let first = try await records.read(after: nil)
        #expect(first.isAnew && first.texts.count == 50 && !first.isLast)
        #expect(
            first.texts.allSatisfy { $0.count >= 7 } && first.texts[0].count == long.utf8.count,
            "`old` is not among them")
        let second = try await records.read(after: first.cursor)
        #expect(!second.isAnew && second.texts.isEmpty && second.isLast)
    }

    @Test func `after the store was emptied or replaced, a reader starts again from the beginning`() async throws {
        let server = try RedisServer()
        let (one, other) = (Self.records(server.port), Self.records(server.port))
        try await Self.ready(one)
        try await one.write([Self.record("a", "01"), Self.record("b", "01")])
        let cursor = try await other.read(after: nil).cursor
        server.kill()
        await #expect(throws: StoreFault.self) { try await other.read(after: cursor) }
        let successor = try RedisServer(port: server.port)
        defer { successor.kill() }
        try await Self.ready(one)
        // Two texts again, so that the last one has the position up to which the reader has read.
        try await one.write([Self.record("c", "01 c"), Self.record("d", "01 d")])
        let page = try await other.read(after: cursor)
        #expect(page.isAnew && Self.texts(page) == ["01 c", "01 d"])
    }

    @Test func `a silent store, or one with invalid replies, fails within about a second`() async throws {
        let frozen = try RedisServer()
        let records = Self.records(frozen.port)
        try await Self.ready(records)
        frozen.freeze()
        await #expect(throws: StoreFault.silent) { try await records.read(after: nil) }
        frozen.thaw()
        let scripted = try ScriptedStore(Array("+OK\r\n$1\r\na\r\n$1\r\nb\r\n*4\r\n:0\r\n+a\r\n+x\r\n+t\r\n".utf8))
        await #expect(throws: StoreFault.invalid) { try await Self.records(scripted.port).read(after: nil) }
        scripted.stop()
    }

    @Test(arguments: [
        StoreValue.null, .integer(1), .list([]), .list([.integer(2)]), .list([.text([0x30])]),
        .list([.integer(1), .text([0x61])]),
        .list([.integer(1), .text([0x61]), .text([0x31])]), .list([.integer(1), .text([]), .text([0x31]), .text([])]),
        .list([.integer(1), .text([0x61]), .text([]), .text([])]),
        .list([.integer(1), .text([0x61]), .text([0x2D, 0x31]), .text([])]),
        .list([.integer(1), .text([0x61]), .integer(1), .text([])]),
        .list([.integer(1), .text([0x61]), .text([0x31]), .null]),
        .list([.integer(1), .text([UInt8](repeating: 0x61, count: 65)), .text([0x31]), .text([])]),
        .list([.integer(1), .text([0x61]), .text([UInt8](repeating: 0x31, count: 17)), .text([])]),
    ])
    func `a malformed page of records is ignored`(_ answer: StoreValue) {
        #expect(RecordScripts.page(answer, after: nil) == nil)
    }
}
