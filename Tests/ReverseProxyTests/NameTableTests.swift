import NIOCore
import NameLookup
import NetworkNames
import Testing

@testable import ReverseProxy

/// Times of DNS lookups and use of their answers, without a thread or a clock.
struct NameTableTests {
    private static let second: Int64 = 1_000_000_000
    private static let one = ["192.0.2.1"]
    private static let two = ["192.0.2.2", "2001:db8::2"]
    private static let failure = NameAnswer.failed("silence")
    private static let absence = "name servers report that it does not exist, or has no address"

    private static func found(_ texts: [String], _ seconds: Int64? = 10, unanswered: AddressFamily? = nil) -> NameAnswer
    {
        .addresses(
            FoundAddresses(
                texts.compactMap { IPAddress($0) }, lifetime: seconds.map { .seconds($0) }, unanswered: unanswered))
    }

    private static func known(_ texts: [String]) -> NameTable.Answer {
        .addresses(texts.compactMap { try? SocketAddress(ipAddress: $0, port: 0) })
    }

    private static func table() -> NameTable {
        var table = NameTable()
        table.keep(["a", "b"])
        return table
    }

    /// A table that has an answer for the name `a`.
    private static func table(of answer: NameAnswer, at now: Int64 = 0) -> NameTable {
        var table = table()
        _ = table.ask(for: "a", at: now)
        _ = table.lookedUp("a", answer, at: now)
        return table
    }

    @Test func `the first request starts the lookup, and the others wait for it`() {
        var table = Self.table()
        expect(table.ask(for: "a", at: 0) == (.pending, true))
        expect(table.ask(for: "a", at: 1) == (.pending, false))
        // Another name is not affected.
        expect(table.ask(for: "b", at: 1) == (.pending, true))
        expect(table.lookedUp("b", Self.found(Self.one), at: 2) == (Self.known(Self.one), nil))
        expect(table.ask(for: "b", at: 3) == (Self.known(Self.one), false))
        expect(table.ask(for: "a", at: 3) == (.pending, false))
    }

    // MARK: Time to live

    @Test func `a known answer is used during a new lookup, and replaced by the new answer`() {
        var table = Self.table(of: Self.found(Self.one, 7))
        let due = 7 * Self.second
        expect(table.startRefreshes(at: due - 1) == [])
        expect(table.startRefreshes(at: due) == ["a"])
        expect(table.startRefreshes(at: due) == [])
        expect(table.ask(for: "a", at: due) == (Self.known(Self.one), false))
        expect(table.lookedUp("a", Self.found(Self.two), at: due + 5) == (Self.known(Self.two), nil))
        expect(table.ask(for: "a", at: due + 6) == (Self.known(Self.two), false))
    }

    @Test(
        arguments: [(0, 1), (1, 1), (2, 2), (59, 59), (60, 60), (61, 60), (86400, 60), (Int64.max / 2, 60), (nil, 10)]
            as [(Int64?, Int64)])
    func `a name is looked up again after its time to live, between 1 and 60 seconds`(
        _ seconds: Int64?, _ expected: Int64
    ) {
        var table = Self.table(of: Self.found(Self.one, seconds))
        expect(table.startRefreshes(at: expected * Self.second - 1) == [])
        expect(table.startRefreshes(at: expected * Self.second) == ["a"])
    }

    // MARK: Failures

    @Test func `the last good answer outlives failed lookups, which are logged once`() {
        var table = Self.table(of: Self.found(Self.one))
        var now = 10 * Self.second
        expect(table.startRefreshes(at: now) == ["a"])
        expect(table.lookedUp("a", Self.failure, at: now) == (Self.known(Self.one), .failing(cause: "silence")))
        for _ in 0..<1000 {
            expect(table.startRefreshes(at: now + NameTable.retryInterval - 1) == [])
            now += NameTable.retryInterval
            expect(table.startRefreshes(at: now) == ["a"])
            expect(table.lookedUp("a", Self.failure, at: now) == (Self.known(Self.one), nil))
            expect(table.ask(for: "a", at: now) == (Self.known(Self.one), false))
        }
        now += NameTable.retryInterval
        expect(table.startRefreshes(at: now) == ["a"])
        expect(table.lookedUp("a", Self.found(Self.two), at: now) == (Self.known(Self.two), .recovered))
    }

    @Test func `an address family whose lookup failed keeps its addresses, and is soon looked up again`() {
        var table = Self.table(of: Self.found(["2001:db8::1", "192.0.2.1"], 60))
        let due = 60 * Self.second
        _ = table.startRefreshes(at: due)
        let half = Self.found(["192.0.2.9"], 60, unanswered: .ipv6)
        expect(table.lookedUp("a", half, at: due) == (Self.known(["192.0.2.9", "2001:db8::1"]), nil))
        expect(table.startRefreshes(at: due + NameTable.retryInterval - 1) == [])
        expect(table.startRefreshes(at: due + NameTable.retryInterval) == ["a"])
        // A name without any address of that family has none after a successful lookup.
        expect(table.lookedUp("a", Self.found(["192.0.2.9"]), at: due) == (Self.known(["192.0.2.9"]), nil))
    }

    @Test func `a name that never had an answer is looked up again after a pause`() {
        var table = Self.table()
        _ = table.ask(for: "a", at: 0)
        expect(table.lookedUp("a", Self.failure, at: 7) == (.unknown, .failing(cause: "silence")))
        expect(table.ask(for: "a", at: 7 + NameTable.coolDown - 1) == (.unknown, false))
        expect(table.ask(for: "a", at: 7 + NameTable.coolDown) == (.pending, true))
    }

    // MARK: Names that do not exist

    @Test func `a name that no longer exists keeps its addresses for thirty seconds`() {
        var table = Self.table(of: Self.found(Self.one))
        let start = 10 * Self.second
        let end = start + NameTable.absenceLimit
        _ = table.startRefreshes(at: start)
        expect(table.lookedUp("a", .notFound, at: start) == (Self.known(Self.one), .failing(cause: Self.absence)))
        for _ in 0..<3 { expect(table.lookedUp("a", .notFound, at: end - 2) == (Self.known(Self.one), nil)) }
        // The name is looked up once more when the thirty seconds are over.
        expect(table.startRefreshes(at: end - 1) == [])
        expect(table.startRefreshes(at: end) == ["a"])
        expect(table.ask(for: "a", at: end) == (Self.known(Self.one), false))
        expect(table.lookedUp("a", .notFound, at: end) == (.unknown, .withdrawn))
        expect(table.ask(for: "a", at: end + NameTable.coolDown - 1) == (.unknown, false))
        expect(table.ask(for: "a", at: end + NameTable.coolDown) == (.pending, true))
        expect(table.lookedUp("a", .notFound, at: end + NameTable.coolDown) == (.unknown, nil))
        expect(table.startRefreshes(at: end + NameTable.coolDown + NameTable.retryInterval) == ["a"])
        expect(table.lookedUp("a", Self.found(Self.two), at: 2 * end) == (Self.known(Self.two), .recovered))
    }

    @Test(arguments: [failure, found(one)])
    func `the thirty seconds start again if another answer came between two absences`(_ answer: NameAnswer) {
        var table = Self.table(of: Self.found(Self.one))
        _ = table.lookedUp("a", .notFound, at: 0)
        _ = table.lookedUp("a", answer, at: Self.second)
        let start = NameTable.absenceLimit
        expect(table.lookedUp("a", .notFound, at: start).answer == Self.known(Self.one))
        expect(table.lookedUp("a", .notFound, at: start + NameTable.absenceLimit - 1).answer == Self.known(Self.one))
        expect(table.lookedUp("a", .notFound, at: start + NameTable.absenceLimit) == (.unknown, .withdrawn))
    }

    // MARK: Watching

    @Test func `the generation changes with the set of addresses, and no generation is used twice`() {
        var table = Self.table()
        expect(table.current("a", at: 0) == ([], 0, true))
        expect(table.current("a", at: 0) == ([], 0, false))
        _ = table.lookedUp("a", Self.found(Self.two), at: 0)
        let first = table.current("a", at: 0)
        expect(first.generation != 0 && .addresses(first.addresses) == Self.known(Self.two) && !first.startsLookup)
        _ = table.lookedUp("a", Self.found(Self.two.reversed()), at: 1)
        _ = table.lookedUp("a", Self.failure, at: 2)
        expect(table.current("a", at: 0).generation == first.generation)
        _ = table.lookedUp("a", Self.found(Self.one), at: 3)
        let second = table.current("a", at: 0).generation
        expect(second != first.generation)
        _ = table.lookedUp("a", .notFound, at: 4)
        _ = table.lookedUp("a", .notFound, at: 4 + NameTable.absenceLimit)
        expect(table.current("a", at: 0).addresses.isEmpty)
        expect(![0, first.generation, second].contains(table.current("a", at: 0).generation))
        // The name is dropped from the configuration and added again.
        let last = table.current("a", at: 0).generation
        table.keep([])
        table.keep(["a"])
        expect(table.current("a", at: 0) == ([], 0, true))
        _ = table.lookedUp("a", Self.found(Self.two), at: 5)
        expect(![0, first.generation, second, last].contains(table.current("a", at: 0).generation))
    }

    // MARK: Bounds

    @Test func `a name whose addresses refuse connections is looked up again, but not at every connection`() {
        var table = Self.table()
        expect(!table.connectFailed(to: "a", at: 0))
        _ = table.ask(for: "a", at: 0)
        expect(!table.connectFailed(to: "a", at: 5 * NameTable.coolDown))
        _ = table.lookedUp("a", Self.found(Self.one), at: 0)
        expect(!table.connectFailed(to: "a", at: NameTable.coolDown - 1))
        expect(table.connectFailed(to: "a", at: NameTable.coolDown))
        expect(!table.connectFailed(to: "a", at: NameTable.coolDown))
        expect(table.ask(for: "a", at: NameTable.coolDown) == (Self.known(Self.one), false))
    }

    @Test func `background lookups are bounded, and the names that are longest due come first`() {
        var table = NameTable()
        let names = Set((0..<NameTable.refreshesAtOnce + 4).map { "host-\($0)" })
        table.keep(names)
        for name in names {
            _ = table.ask(for: name, at: 0)
            _ = table.lookedUp(name, Self.found(Self.one, 1), at: 0)
        }
        let due = Self.second
        let started = table.startRefreshes(at: due)
        expect(started.count == NameTable.refreshesAtOnce)
        expect(table.startRefreshes(at: due) == [])
        for name in started { _ = table.lookedUp(name, Self.found(Self.one, 1), at: due) }
        // All names are due, and these have been due for longest.
        expect(Set(table.startRefreshes(at: 2 * due).prefix(4)) == names.subtracting(started))
    }

    @Test func `a name that left the configuration is removed, at the latest when its lookup ends`() {
        var table = Self.table()
        _ = table.ask(for: "a", at: 0)
        _ = table.ask(for: "b", at: 0)
        _ = table.lookedUp("b", Self.found(Self.one), at: 0)
        table.keep(["c"])
        expect(table.names == ["a"])
        // There is still only one lookup of the name, even if it is in the configuration again.
        expect(table.ask(for: "a", at: 1) == (.pending, false))
        expect(table.lookedUp("a", Self.found(Self.two), at: 2) == (Self.known(Self.two), nil))
        expect(table.names == [])
        // A request under an earlier configuration.
        expect(table.ask(for: "b", at: 3) == (.pending, true))
        expect(table.lookedUp("b", Self.found(Self.one), at: 4) == (Self.known(Self.one), nil))
        expect(table.names == [])
    }
}
