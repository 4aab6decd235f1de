import Foundation
import NetworkNames
import Synchronization
import TestSupport
import Testing

@testable import NameLookup

/// Lookups at a name server controlled by the tests.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct NameServersTests {
    private static let one: [UInt8] = [192, 0, 2, 1]
    private static let two: [UInt8] = [192, 0, 2, 2]
    private static let six: [UInt8] = [0x20, 1, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [6]

    /// Runs a test with its own name server.
    ///
    /// - Parameter file: content of `/etc/resolv.conf` besides the name server.
    private func withServer(
        file: String = "", timeout: Duration = .milliseconds(300), tries: Int = 3,
        _ body: (ScriptedNameServer, NameServers) async throws -> Void
    ) async throws {
        try await withSettings(file: file, timeout: timeout, tries: tries) { server, settings in
            try await body(server, NameServers(settings))
        }
    }

    private func withSettings(
        file: String, timeout: Duration, tries: Int,
        _ body: (ScriptedNameServer, NameServerSettings) async throws -> Void
    ) async throws {
        let server = try await ScriptedNameServer.start()
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        var settings = NameServerSettings()
        settings.file = try folder.write("nameserver 127.0.0.1\nsearch .\n\(file)", to: "resolv.conf").path
        settings.port = UInt16(server.port)
        settings.timeout = timeout
        settings.tries = tries
        settings.lookInterval = .zero
        let result: Result<Void, any Error>
        do { result = .success(try await body(server, settings)) } catch { result = .failure(error) }
        await server.stop()
        try result.get()
    }

    private func found(_ texts: [String], _ seconds: Int, unanswered: AddressFamily? = nil) -> NameAnswer {
        .addresses(
            FoundAddresses(texts.compactMap { IPAddress($0) }, lifetime: .seconds(seconds), unanswered: unanswered))
    }

    private func isFailure(_ answer: NameAnswer, _ text: String) -> Bool {
        guard case .failed(let cause) = answer else { return false }
        return cause.contains(text)
    }

    // MARK: Answers

    @Test func `addresses of both families are returned with the shortest time to live`() async throws {
        try await withServer { server, names in
            server.answer("a.example", a: [Self.one, Self.two, Self.one], aaaa: [Self.six], seconds: 30)
            #expect(await names.answer("a.example") == found(["2001:db8::6", "192.0.2.1", "192.0.2.2"], 30))
            server.answer("a.example", .a, .records([.a("a.example", 20, Self.two), .a("a.example", 7, Self.one)]))
            #expect(await names.answer("a.example") == found(["2001:db8::6", "192.0.2.2", "192.0.2.1"], 7))
        }
    }

    @Test func `the shortest time to live in a chain of aliases counts, wherever it is`() async throws {
        try await withServer { server, names in
            for (first, second, last) in [(5, 300, 86400), (300, 5, 86400), (86400, 300, 5)]
                as [(UInt32, UInt32, UInt32)]
            {
                server.answer(
                    "a.example", .a,
                    .records([
                        .cname("a.example", first, "b.example"), .cname("b.example", second, "c.example"),
                        .a("c.example", last, Self.one),
                    ]))
                server.answer("a.example", .aaaa, .records([]))
                #expect(await names.answer("a.example") == found(["192.0.2.1"], 5))
            }
        }
    }

    @Test func `a name that does not exist is not found, and neither is a name without addresses`() async throws {
        try await withServer { server, names in
            #expect(await names.answer("nowhere.example") == .notFound)
            server.answer("empty.example")
            #expect(await names.answer("empty.example") == .notFound)
            // An alias that leads nowhere.
            server.fail("alias.example", .records([.cname("alias.example", 5, "b.example")]))
            #expect(await names.answer("alias.example") == .notFound)
        }
    }

    @Test(arguments: [1, 2, 4, 5, 9, 15] as [UInt8])
    func `any other response code is a failure, not an answer`(_ code: UInt8) async throws {
        try await withServer { server, names in
            server.fail("a.example", .code(code))
            #expect(isFailure(await names.answer("a.example"), "A records of a.example: "))
            server.answer("a.example", .a, .records([.a("a.example", 9, Self.one)]))
            #expect(await names.answer("a.example") == found(["192.0.2.1"], 9, unanswered: .ipv6))
            server.answer("a.example", .a, .code(code))
            server.answer("a.example", .aaaa, .records([]))
            #expect(isFailure(await names.answer("a.example"), "A records of a.example: "))
        }
    }

    @Test func `names are completed as resolv.conf says`() async throws {
        try await withServer(file: "search one.example two.example\noptions ndots:2\n") { server, names in
            server.answer("db.eu.two.example", a: [Self.one])
            server.answer("db.eu", a: [Self.two])
            #expect(await names.answer("db.eu") == found(["192.0.2.1"], 30))
            #expect(server.names.contains("db.eu.one.example"))
            #expect(!server.names.contains("db.eu"))
            #expect(await names.answer("db.eu.") == found(["192.0.2.2"], 30))
            // A failing name server must not send requests to another host.
            server.fail("db.eu.one.example", .code(2))
            #expect(isFailure(await names.answer("db.eu"), "db.eu.one.example"))
        }
    }

    @Test func `the hosts file is read first, and its addresses have no time to live`() async throws {
        try await withServer { server, names in
            server.answer("localhost", a: [Self.one])
            guard case .addresses(let found) = await names.answer("localhost") else { throw Unexpected() }
            #expect(!found.addresses.isEmpty)
            #expect(found.addresses.allSatisfy { ["127.0.0.1", "::1"].contains($0.description) })
            #expect(found.lifetime == nil)
            #expect(server.names.isEmpty)
        }
    }

    // MARK: Name servers that misbehave

    @Test func `a name whose servers are silent fails in the end, and delays no other name`() async throws {
        try await withServer(timeout: .milliseconds(100)) { server, names in
            server.fail("slow.example", .silence)
            server.answer("good.example", a: [Self.one])
            let slow = LateAnswer(names, "slow.example")
            try await eventually { server.questions("slow.example") >= 2 }
            #expect(await names.answer("good.example") == found(["192.0.2.1"], 30))
            #expect(slow.value == nil)
            try await eventually { slow.value != nil }
            #expect(slow.value.map { isFailure($0, "Timeout") } == true)
            // Each family is asked three times.
            #expect(server.questions("slow.example") == 6)
        }
    }

    @Test func `a name with one silent family has the addresses of the other after a second`() async throws {
        try await withServer(timeout: .seconds(60)) { server, names in
            server.answer("a.example", .a, .records([.a("a.example", 9, Self.one)]))
            server.answer("a.example", .aaaa, .silence)
            server.answer("good.example", a: [Self.two])
            #expect(await names.answer("a.example") == found(["192.0.2.1"], 9, unanswered: .ipv6))
            // Pending queries for the first name do not disturb others.
            #expect(await names.answer("good.example") == found(["192.0.2.2"], 30))
            server.answer("a.example", .aaaa, .records([]))
            #expect(await names.answer("a.example") == found(["192.0.2.1"], 9))
        }
    }

    @Test(arguments: [
        ScriptedNameServer.Reply.bytes([]), .bytes([1, 2, 3]), .bytes([UInt8](repeating: 0xFF, count: 400)),
        .broken([0xC0]), .broken([0xC0, 0x0C, 0, 1, 0, 1]),
        .broken([0xC0, 0xFF, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, 1, 2, 3, 4]),
        .broken([0xC0, 0x0C, 0, 1, 0, 1, 0, 0, 0, 1, 0, 200, 1, 2, 3, 4]),
    ])
    func `a garbled response is a failure, and does not affect the next lookup`(_ reply: ScriptedNameServer.Reply)
        async throws
    {
        try await withServer(timeout: .milliseconds(20), tries: 2) { server, names in
            server.fail("a.example", reply)
            #expect(isFailure(await names.answer("a.example"), "A records of a.example: "))
            server.answer("a.example", a: [Self.one])
            #expect(await names.answer("a.example") == found(["192.0.2.1"], 30))
        }
    }

    @Test func `a truncated response is requested again over TCP`() async throws {
        try await withServer { server, names in
            server.answer("a.example", .a, .truncated([.a("a.example", 9, Self.one)]))
            server.answer("a.example", .aaaa, .records([]))
            #expect(await names.answer("a.example") == found(["192.0.2.1"], 9))
            #expect(server.questionsOverTCP == 1)
        }
    }

    @Test func `of five hundred addresses 64 are kept, the same ones each time`() async throws {
        try await withServer { server, names in
            let many = (0..<500).map { [10, 0, UInt8($0 / 250), UInt8($0 % 250)] as [UInt8] }
            let kept = (0..<64).map { "10.0.0.\($0)" }
            for _ in 0..<3 {
                server.answer("a.example", .a, .truncated(many.shuffled().map { .a("a.example", 9, $0) }))
                server.answer("a.example", .aaaa, .records([]))
                #expect(await names.answer("a.example") == found(kept, 9))
            }
        }
    }

    @Test func `a lookup fails if there is no name server`() async throws {
        try await withServer { server, names in
            await server.stop()
            #expect(isFailure(await names.answer("a.example"), "A records of a.example: "))
        }
    }

    // MARK: The file of name servers

    @Test func `a changed name server in resolv.conf is used from then on, also for pending lookups`() async throws {
        let old = try await ScriptedNameServer.start("127.0.0.1")
        let new = try await ScriptedNameServer.start("127.0.0.2", port: old.port)
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        var settings = NameServerSettings()
        settings.file = try folder.write("nameserver 127.0.0.1\nsearch .\n", to: "resolv.conf").path
        settings.port = UInt16(old.port)
        settings.timeout = .seconds(20)
        settings.lookInterval = .zero
        let names = NameServers(settings)
        old.answer("a.example", a: [Self.one])
        old.fail("pending.example", .silence)
        new.answer("a.example", a: [Self.two])
        new.answer("pending.example", a: [Self.two])
        #expect(await names.answer("a.example") == found(["192.0.2.1"], 30))
        let pending = LateAnswer(names, "pending.example")
        try await eventually { old.questions("pending.example") == 2 }
        try folder.write("nameserver 127.0.0.2\nsearch .\n", to: "resolv.conf")
        #expect(await names.answer("a.example") == found(["192.0.2.2"], 30))
        try await eventually { pending.value != nil }
        #expect(pending.value == found(["192.0.2.2"], 30))
        await old.stop()
        await new.stop()
    }

    // MARK: What is left behind

    @Test func `ten thousand lookups leave no file descriptor open`() async throws {
        try await withServer { server, names in
            server.answer("a.example", a: [Self.one])
            server.answer("big.example", .a, .truncated([.a("big.example", 9, Self.one)]))
            let before = try Self.descriptors()
            for _ in 0..<100 {
                await withTaskGroup { group in
                    for number in 0..<100 {
                        group.addTask { _ = await names.answer(number % 20 == 0 ? "big.example" : "a.example") }
                    }
                }
            }
            #expect(server.questions("a.example") >= 2 * 9500)
            // Other tests may run meanwhile.
            let after = try Self.descriptors()
            #expect(after < before + 100)
        }
    }

    private static func descriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    @Test func `a pending lookup is answered even after the name servers were released`() async throws {
        try await withSettings(file: "", timeout: .milliseconds(50), tries: 1) { server, settings in
            server.fail("slow.example", .silence)
            let answer = LateAnswer(NameServers(settings), "slow.example")
            try await eventually { answer.value != nil }
            #expect(answer.value.map { isFailure($0, "Timeout") } == true)
        }
    }
}

private struct Unexpected: Error {}

/// A lookup that a test does not wait for.
private final class LateAnswer: Sendable {
    private let state = Mutex<NameAnswer?>(nil)

    var value: NameAnswer? { state.withLock { $0 } }

    init(_ names: NameServers, _ name: String) {
        names.lookUp(name) { answer in self.state.withLock { $0 = answer } }
    }
}

extension NameServers {
    fileprivate func answer(_ name: String) async -> NameAnswer {
        await withCheckedContinuation { continuation in lookUp(name) { continuation.resume(returning: $0) } }
    }
}

/// Waits until a condition holds; fails the test if it does not in time.
private func eventually(sourceLocation: SourceLocation = #_sourceLocation, _ condition: () -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(10)
    while !condition() {
        guard ContinuousClock.now < end else {
            Issue.record("What was waited for did not happen", sourceLocation: sourceLocation)
            return
        }
        try await Task.sleep(for: .milliseconds(2))
    }
}
