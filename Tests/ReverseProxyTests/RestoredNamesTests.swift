import NIOCore
import NameLookup
import NetworkNames
import Testing

@testable import ReverseProxy

/// DNS answers saved by the previous process, and when they are used.
struct RestoredNamesTests {
    private static let second: Int64 = 1_000_000_000
    private static let minute = 60 * second
    private static let old = ["192.0.2.1", "2001:db8::1"]
    private static let failure = NameAnswer.failed("silence")

    private static func found(_ texts: String..., unanswered: AddressFamily? = nil) -> NameAnswer {
        .addresses(FoundAddresses(texts.compactMap { IPAddress($0) }, lifetime: .seconds(10), unanswered: unanswered))
    }

    private static func known(_ texts: [String]) -> NameTable.Answer {
        .addresses(texts.compactMap { try? SocketAddress(ipAddress: $0, port: 0) })
    }

    /// The table of a process started at 0, with the answer for `a` that the previous process learnt at this time.
    private static func table(_ addresses: [String] = old, since learntAt: Int64 = -second, plain: Set<String> = [])
        -> NameTable
    {
        var table = NameTable(restoring: [
            "a": SavedAnswer(addresses: addresses.compactMap { IPAddress($0) }, learntAt: learntAt)
        ])
        table.keep(["a", "b"], plain: plain)
        return table
    }

    private static func ages(_ reviewed: [(name: String, answer: NameTable.Answer, change: NameTable.Change)])
        -> [String]
    {
        reviewed.map { "\($0.name) \($0.change)" }
    }

    @Test func `a restored answer is used once the lookup has failed`() {
        var table = Self.table()
        expect(table.ask(for: "a", at: 0) == (.pending, true))
        expect(table.review(at: 1).isEmpty)
        expect(
            table.lookedUp("a", Self.failure, at: Self.second) == (Self.known(Self.old), .restored(age: .seconds(2))))
        expect(table.ask(for: "a", at: Self.second) == (Self.known(Self.old), false))
    }

    @Test func `a restored answer is used after name servers were silent for two seconds`() {
        var table = Self.table()
        _ = table.ask(for: "a", at: 0)
        expect(table.review(at: NameTable.patience - 1).isEmpty)
        expect(table.ask(for: "a", at: NameTable.patience - 1) == (.pending, false))
        let reviewed = table.review(at: NameTable.patience)
        expect(reviewed.count == 1 && reviewed.first?.answer == Self.known(Self.old))
        expect(reviewed.first?.change == .restored(age: .seconds(3)))
        expect(table.review(at: NameTable.patience).isEmpty)
        expect(table.ask(for: "a", at: NameTable.patience) == (Self.known(Self.old), false))
        // A later failure is reported once.
        expect(
            table.lookedUp("a", Self.failure, at: 14 * Self.second) == (
                Self.known(Self.old), .failing(cause: "silence")
            ))
        expect(table.startRefreshes(at: 19 * Self.second) == ["a"])
    }

    @Test func `an answer from name servers replaces a restored answer, whatever it is`() {
        var table = Self.table()
        _ = table.ask(for: "a", at: 0)
        _ = table.lookedUp("a", Self.failure, at: 1)
        let generation = table.current("a", at: 1).generation
        expect(table.startRefreshes(at: 6 * Self.second) == ["a"])
        expect(
            table.lookedUp("a", Self.found("192.0.2.9"), at: 7 * Self.second) == (Self.known(["192.0.2.9"]), .recovered)
        )
        expect(table.current("a", at: 1).generation != generation)
        // Answers learnt by this process have no age limit.
        _ = table.startRefreshes(at: 60 * Self.second)
        expect(
            table.lookedUp("a", Self.failure, at: 61 * Self.second) == (
                Self.known(["192.0.2.9"]), .failing(cause: "silence")
            ))
        expect(table.review(at: .max).isEmpty)
    }

    @Test func `an answer for one family drops the restored addresses of the other family`() {
        var table = Self.table()
        _ = table.ask(for: "a", at: 0)
        _ = table.lookedUp("a", Self.failure, at: 1)
        _ = table.startRefreshes(at: 6 * Self.second)
        let half = Self.found("192.0.2.1", unanswered: .ipv6)
        expect(table.lookedUp("a", half, at: 7 * Self.second) == (Self.known(["192.0.2.1"]), .recovered))
    }

    @Test func `a name that name servers do not know is not restored, and its restored answer is dropped`() {
        var table = Self.table()
        _ = table.ask(for: "a", at: 0)
        expect(table.lookedUp("a", .notFound, at: 1).answer == .unknown)
        expect(table.ask(for: "a", at: 2 * Self.second) == (.pending, true))
        expect(table.lookedUp("a", Self.failure, at: 3 * Self.second).answer == .unknown)
        expect(table.answers(at: 3 * Self.second).isEmpty)
        var used = Self.table()
        _ = used.ask(for: "a", at: 0)
        _ = used.lookedUp("a", Self.failure, at: 1)
        let generation = used.current("a", at: 1).generation
        _ = used.startRefreshes(at: 6 * Self.second)
        expect(used.lookedUp("a", .notFound, at: 7 * Self.second).answer == .unknown)
        expect(used.current("a", at: 1).generation != generation)
        expect(used.review(at: 8 * Self.second).isEmpty)
    }

    @Test func `a restored answer is dropped when it is an hour old, even if lookups fail`() {
        var table = Self.table(since: -50 * Self.minute)
        _ = table.ask(for: "a", at: 0)
        _ = table.lookedUp("a", Self.failure, at: 1)
        expect(table.review(at: 10 * Self.minute).isEmpty)
        let reviewed = table.review(at: 10 * Self.minute + 1)
        expect(reviewed.map(\.change) == [.outdated] && reviewed.map(\.answer) == [.unknown])
        expect(table.review(at: 11 * Self.minute).isEmpty)
        expect(table.ask(for: "a", at: 11 * Self.minute) == (.pending, true))
        expect(table.lookedUp("a", Self.failure, at: 11 * Self.minute).answer == .unknown)
    }

    @Test func `without TLS a restored answer is dropped after five minutes, except addresses of this machine`() {
        var table = Self.table(["192.0.2.1", "127.0.0.1"], since: 0, plain: ["a"])
        _ = table.ask(for: "a", at: 0)
        expect(table.lookedUp("a", Self.failure, at: 1).answer == Self.known(["192.0.2.1", "127.0.0.1"]))
        expect(table.review(at: 5 * Self.minute).isEmpty)
        expect(table.review(at: 5 * Self.minute + 1).isEmpty)
        expect(table.ask(for: "a", at: 5 * Self.minute + 1).answer == Self.known(["127.0.0.1"]))
        expect(table.review(at: 60 * Self.minute + 1).map(\.change) == [.outdated])
        var late = Self.table(["192.0.2.1"], since: -5 * Self.minute - 1, plain: ["a"])
        _ = late.ask(for: "a", at: 0)
        expect(late.lookedUp("a", Self.failure, at: 1).answer == .unknown)
        expect(late.review(at: 10 * Self.second).isEmpty)
    }

    @Test func `restored answers are kept by name, and dropped for names that left the configuration`() {
        var table = Self.table()
        table.keep(["b"])
        _ = table.ask(for: "b", at: 0)
        expect(table.lookedUp("b", Self.failure, at: 1).answer == .unknown)
        table.keep(["a"])
        _ = table.ask(for: "a", at: 2)
        expect(table.lookedUp("a", Self.failure, at: 3).answer == .unknown)
    }

    @Test func `a fleet that follows a name gets the restored answer too`() {
        var table = Self.table()
        expect(table.current("a", at: 0) == ([], 0, true))
        expect(table.review(at: NameTable.patience).count == 1)
        let (addresses, generation, startsLookup) = table.current("a", at: NameTable.patience)
        expect(NameTable.Answer.addresses(addresses) == Self.known(Self.old) && generation > 0 && !startsLookup)
    }

    // MARK: For the process after this one

    @Test func `the last answer is saved for the next process, and so is a restored answer not looked up again`() {
        var table = Self.table()
        _ = table.ask(for: "b", at: 0)
        _ = table.lookedUp("b", Self.found("192.0.2.7"), at: 5)
        expect(table.answers(at: 6).mapValues(\.learntAt) == ["a": -Self.second, "b": 5])
        // Using a saved answer does not renew its age.
        _ = table.ask(for: "a", at: 6)
        _ = table.lookedUp("a", Self.failure, at: 7)
        expect(table.answers(at: 8).mapValues(\.learntAt) == ["a": -Self.second, "b": 5])
        expect(Set(table.answers(at: 60 * Self.minute).keys) == ["b"])
        table.keep(["a"])
        expect(table.answers(at: 8).isEmpty == false && table.answers(at: 8)["b"] == nil)
    }

    @Test func `answers from the hosts file are not saved`() {
        var table = Self.table()
        _ = table.ask(for: "a", at: 0)
        _ = table.lookedUp("a", .addresses(FoundAddresses([IPAddress(ipv4: 1)], lifetime: nil)), at: 5)
        expect(table.answers(at: 6).isEmpty)
    }
}
