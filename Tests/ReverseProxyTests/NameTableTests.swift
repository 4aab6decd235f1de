import NIOCore
import Testing

@testable import ReverseProxy

/// What is asked of name servers when, without a thread or a clock.
struct NameTableTests {
    private static let first = addresses("192.0.2.1")
    private static let second = addresses("192.0.2.2", "2001:db8::2")

    private static func addresses(_ texts: String...) -> [SocketAddress] {
        texts.compactMap { try? SocketAddress(ipAddress: $0, port: 0) }
    }

    private static func table() -> NameTable {
        var table = NameTable()
        table.keep(["a", "b"])
        return table
    }

    @Test func `the first request causes the lookup, and the others wait for the same one`() {
        var table = Self.table()
        expect(table.ask(for: "a", at: 0) == (.pending, true))
        expect(table.ask(for: "a", at: 1) == (.pending, false))
        // Another name is not affected.
        expect(table.ask(for: "b", at: 1) == (.pending, true))
        expect(table.lookedUp("b", Self.first, at: 2) == (.addresses(Self.first), nil))
        expect(table.ask(for: "b", at: 3) == (.addresses(Self.first), false))
        expect(table.ask(for: "a", at: 3) == (.pending, false))
    }

    @Test func `a known answer is used while a newer one is looked up, and replaced by it`() {
        var table = Self.table()
        _ = table.ask(for: "a", at: 0)
        _ = table.lookedUp("a", Self.first, at: 0)
        expect(table.startRefreshes(at: NameTable.refreshInterval - 1) == [])
        expect(table.startRefreshes(at: NameTable.refreshInterval) == ["a"])
        expect(table.startRefreshes(at: NameTable.refreshInterval) == [])
        expect(table.ask(for: "a", at: NameTable.refreshInterval) == (.addresses(Self.first), false))
        expect(table.lookedUp("a", Self.second, at: NameTable.refreshInterval + 5) == (.addresses(Self.second), nil))
        expect(table.ask(for: "a", at: NameTable.refreshInterval + 6) == (.addresses(Self.second), false))
    }

    @Test func `the last good answer outlives lookups that fail, which are told of once`() {
        var table = Self.table()
        _ = table.ask(for: "a", at: 0)
        _ = table.lookedUp("a", Self.first, at: 0)
        var now = NameTable.refreshInterval
        expect(table.startRefreshes(at: now) == ["a"])
        expect(table.lookedUp("a", [], at: now) == (.addresses(Self.first), .failing))
        now += NameTable.refreshInterval
        expect(table.startRefreshes(at: now) == ["a"])
        expect(table.lookedUp("a", [], at: now) == (.addresses(Self.first), nil))
        expect(table.ask(for: "a", at: now) == (.addresses(Self.first), false))
        now += NameTable.refreshInterval
        expect(table.startRefreshes(at: now) == ["a"])
        expect(table.lookedUp("a", Self.second, at: now) == (.addresses(Self.second), .recovered))
    }

    @Test func `a name that never had an answer is asked for again after a pause`() {
        var table = Self.table()
        _ = table.ask(for: "a", at: 0)
        expect(table.lookedUp("a", [], at: 7) == (.unknown, .failing))
        expect(table.ask(for: "a", at: 7 + NameTable.coolDown - 1) == (.unknown, false))
        expect(table.ask(for: "a", at: 7 + NameTable.coolDown) == (.pending, true))
    }

    @Test func `addresses that take no connection are looked up again, but not at every connection`() {
        var table = Self.table()
        expect(!table.connectFailed(to: "a", at: 0))
        _ = table.ask(for: "a", at: 0)
        expect(!table.connectFailed(to: "a", at: 5 * NameTable.coolDown))
        _ = table.lookedUp("a", Self.first, at: 0)
        expect(!table.connectFailed(to: "a", at: NameTable.coolDown - 1))
        expect(table.connectFailed(to: "a", at: NameTable.coolDown))
        expect(!table.connectFailed(to: "a", at: NameTable.coolDown))
        expect(table.ask(for: "a", at: NameTable.coolDown) == (.addresses(Self.first), false))
    }

    @Test func `lookups that no request waits for are bounded`() {
        var table = NameTable()
        let names = Set((0..<NameTable.refreshesAtOnce + 4).map { "host-\($0)" })
        table.keep(names)
        for name in names {
            _ = table.ask(for: name, at: 0)
            _ = table.lookedUp(name, Self.first, at: 0)
        }
        let started = table.startRefreshes(at: NameTable.refreshInterval)
        expect(started.count == NameTable.refreshesAtOnce)
        expect(table.startRefreshes(at: NameTable.refreshInterval) == [])
        for name in started { _ = table.lookedUp(name, Self.first, at: NameTable.refreshInterval) }
        expect(Set(table.startRefreshes(at: NameTable.refreshInterval)) == names.subtracting(started))
    }

    @Test func `what the configuration no longer names is forgotten, at the latest when its lookup ends`() {
        var table = Self.table()
        _ = table.ask(for: "a", at: 0)
        _ = table.ask(for: "b", at: 0)
        _ = table.lookedUp("b", Self.first, at: 0)
        table.keep(["c"])
        expect(table.names == ["a"])
        // There is still one lookup of a name, even if it is named again.
        expect(table.ask(for: "a", at: 1) == (.pending, false))
        expect(table.lookedUp("a", Self.second, at: 2) == (.addresses(Self.second), nil))
        expect(table.names == [])
        // A request of an earlier configuration.
        expect(table.ask(for: "b", at: 3) == (.pending, true))
        expect(table.lookedUp("b", Self.first, at: 4) == (.addresses(Self.first), nil))
        expect(table.names == [])
    }
}
