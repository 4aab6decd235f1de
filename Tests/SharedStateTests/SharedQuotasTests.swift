import Files
import Quotas
import Synchronization
import TestSupport
import Testing

@testable import SharedState

/// Counting by a real server, and by misbehaving ones.
@Suite(.enabled(if: RedisServer.isThere, "redis-server is not installed"), .timeLimit(.minutes(2)))
struct SharedQuotasTests {
    private static let secret = [UInt8](repeating: 7, count: 32)

    private static func settings(_ port: Int, timeout: Duration = .seconds(5)) -> StoreSettings {
        StoreSettings(host: "127.0.0.1", port: port, secret: secret, timeout: timeout)
    }

    private static func charge(_ caller: UInt64, _ rate: QuotaRate, quota: UInt64 = 1) -> QuotaCharge {
        QuotaCharge(QuotaAccount(quota: quota, high: caller, low: 0), rate)
    }

    /// Reports about the store, in order.
    private final class Reports: Sendable {
        private let all = Mutex<[StoreFault?]>([])
        func add(_ fault: StoreFault?) { all.withLock { $0.append(fault) } }
        var list: [StoreFault?] { all.withLock { $0 } }
    }

    private static func start(_ settings: StoreSettings, _ reports: Reports = Reports()) throws -> SharedQuotas {
        try #require(SharedQuotas.start(settings) { reports.add($0) })
    }

    private static func connected(_ quotas: SharedQuotas) async throws {
        try await holds("the store is connected") { quotas.isConnected }
    }

    private static func holds(_ what: @autoclosure () -> Comment, _ condition: () -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(20)
        while !condition() {
            try #require(ContinuousClock.now < end, what())
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    private static func verdict(_ quotas: SharedQuotas, _ charges: [QuotaCharge]) async -> QuotaVerdict? {
        await withCheckedContinuation { continuation in quotas.charge(charges) { continuation.resume(returning: $0) } }
    }

    /// Sends one command directly, bypassing the code under test.
    private static func ask(_ server: RedisServer, _ words: [[UInt8]]) throws -> StoreValue {
        let (connection, signal) = (try StoreConnection(to: settings(server.port), .quotas), Wakeup())
        try connection.append(words)
        while try !connection.write() { _ = signal.wait(connection.descriptor, writes: true, for: .seconds(1)) }
        while true {
            if let answer = try connection.takeAnswer() { return answer }
            _ = signal.wait(connection.descriptor, writes: false, for: .seconds(1))
            try connection.read()
        }
    }

    /// True if requests are counted after a while: a busy machine may be late with one reply.
    private static func counts(_ quotas: SharedQuotas) async throws -> Bool {
        for _ in 0..<500 {
            if isGranted(
                await verdict(quotas, [charge(1 << 40, QuotaRate(requests: 1_000_000, period: .seconds(3600)))]))
            {
                return true
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    private static func isGranted(_ verdict: QuotaVerdict?) -> Bool {
        if case .granted? = verdict { true } else { false }
    }

    @Test func `two processes share one quota`() async throws {
        let server = try RedisServer()
        let (one, other) = try (Self.start(Self.settings(server.port)), Self.start(Self.settings(server.port)))
        defer { one.stop(); other.stop() }
        try await Self.connected(one)
        try await Self.connected(other)
        let rate = QuotaRate(requests: 3, period: .seconds(3600))
        var verdicts: [Bool] = []
        for round in 0..<6 {
            verdicts.append(Self.isGranted(await Self.verdict(round % 2 == 0 ? one : other, [Self.charge(1, rate)])))
        }
        #expect(verdicts == [true, true, true, false, false, false])
        #expect(Self.isGranted(await Self.verdict(one, [Self.charge(2, rate)])))
    }

    @Test func `a request refused by one shared quota is charged to none`() async throws {
        let server = try RedisServer()
        let quotas = try Self.start(Self.settings(server.port))
        defer { quotas.stop() }
        try await Self.connected(quotas)
        let (wide, narrow) = (
            QuotaRate(requests: 3, period: .seconds(3600)), QuotaRate(requests: 1, period: .seconds(3600))
        )
        let both = [Self.charge(1, wide), Self.charge(1, narrow, quota: 2)]
        #expect(Self.isGranted(await Self.verdict(quotas, both)))
        for _ in 0..<5 {
            guard case .exceeded(let standing)? = await Self.verdict(quotas, both) else {
                Issue.record("not refused")
                return
            }
            #expect(standing.charge == 1 && standing.wait > .seconds(3500))
        }
        var left = 0
        while left < 9, Self.isGranted(await Self.verdict(quotas, [Self.charge(1, wide)])) { left += 1 }
        #expect(left == 2)
    }

    /// Time is simulated by moving the caller's time in the store back.
    @Test func `a request after the store's wait time passes, and one a second earlier does not`() async throws {
        let server = try RedisServer()
        let quotas = try Self.start(Self.settings(server.port))
        defer { quotas.stop() }
        try await Self.connected(quotas)
        let script = try #require(QuotaScript(secret: Self.secret))
        var generator = SeededGenerator(seed: 34)
        for caller in 0..<500 {
            let rate = QuotaRate(
                requests: Int.random(in: 1...20, using: &generator),
                period: .seconds(Int.random(in: 60...86_400, using: &generator)),
                burst: Int.random(in: 1...5, using: &generator))
            let charge = Self.charge(UInt64(caller), rate)
            var refusal: QuotaStanding?
            for _ in 0..<10 where refusal == nil {
                if case .exceeded(let standing)? = await Self.verdict(quotas, [charge]) { refusal = standing }
            }
            let wait = try #require(refusal).wait
            let key = try #require(script.command([charge], digest: []))[3]
            guard case .text(let text) = try Self.ask(server, [Array("GET".utf8), key]),
                let time = Int64(String(decoding: text, as: UTF8.self))
            else {
                Issue.record("no time is kept")
                return
            }
            let (seconds, attoseconds) = wait.components
            let full = seconds + (attoseconds > 0 ? 1 : 0)
            func pass(_ seconds: Int64) throws {
                _ = try Self.ask(server, [Array("SET".utf8), key, Array("\(time - seconds * 1_000_000)".utf8)])
            }
            try pass(full - 1)
            let early = await Self.verdict(quotas, [charge])
            // Time taken by the test itself counts too.
            if wait - .seconds(full - 1) > .milliseconds(300) { #expect(!Self.isGranted(early), "\(rate) \(wait)") }
            try pass(full)
            #expect(Self.isGranted(await Self.verdict(quotas, [charge])), "\(rate) \(wait)")
        }
    }

    @Test func `ten thousand concurrent store requests are all answered, each once`() async throws {
        let server = try RedisServer()
        let quotas = try Self.start(Self.settings(server.port, timeout: .seconds(30)))
        defer { quotas.stop() }
        try await Self.connected(quotas)
        let rate = QuotaRate(requests: 5, period: .seconds(3600))
        let granted = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<9000 {
                group.addTask { Self.isGranted(await Self.verdict(quotas, [Self.charge(UInt64(number % 300), rate)])) }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(granted == 1500)
        #expect(quotas.figures.answered == 9000 && quotas.figures.unanswered == 0)
    }

    @Test func `a killed store is unreachable at once, and counts again when it is back`() async throws {
        let (port, reports) = (try RedisServer.freePort(), Reports())
        let first = try RedisServer(port: port)
        let quotas = try Self.start(Self.settings(port), reports)
        defer { quotas.stop() }
        try await Self.connected(quotas)
        let rate = QuotaRate(requests: 1000, period: .seconds(3600))
        #expect(Self.isGranted(await Self.verdict(quotas, [Self.charge(1, rate)])))
        first.kill()
        try await Self.holds("the loss is noticed") { !quotas.isConnected }
        let asked = ContinuousClock.now
        #expect(await Self.verdict(quotas, [Self.charge(1, rate)]) == nil)
        #expect(ContinuousClock.now - asked < .seconds(1))
        let second = try RedisServer(port: port)
        defer { second.kill() }
        try await Self.connected(quotas)
        #expect(Self.isGranted(await Self.verdict(quotas, [Self.charge(1, rate)])))
        // One report of the failure, and one of the return.
        try await Self.holds("the return is reported") {
            reports.list.count(where: { $0 == nil }) == reports.list.count(where: { $0 != nil })
        }
        #expect(reports.list.last == .some(nil))
    }

    @Test func `a silent store is given up after the timeout of each request, then disconnected`() async throws {
        let (server, reports) = (try RedisServer(), Reports())
        let quotas = try Self.start(Self.settings(server.port, timeout: .milliseconds(50)), reports)
        defer { quotas.stop() }
        try await Self.connected(quotas)
        #expect(try await Self.counts(quotas))
        server.freeze()
        let rate = QuotaRate(requests: 10, period: .seconds(3600))
        #expect(await Self.verdict(quotas, [Self.charge(1, rate)]) == nil)
        try await Self.holds("it is given up: \(reports.list)") { reports.list.last == .silent }
        server.thaw()
        try await Self.connected(quotas)
        #expect(try await Self.counts(quotas))
        try await Self.holds("it counts again") { reports.list.suffix(2) == [.silent, nil] }
    }

    @Test func `a store that lost the script receives it again`() async throws {
        let server = try RedisServer()
        let quotas = try Self.start(Self.settings(server.port))
        defer { quotas.stop() }
        try await Self.connected(quotas)
        _ = try Self.ask(server, [Array("SCRIPT".utf8), Array("FLUSH".utf8)])
        let rate = QuotaRate(requests: 10, period: .seconds(3600))
        #expect(await Self.verdict(quotas, [Self.charge(1, rate)]) == nil)
        try await Self.connected(quotas)
        #expect(Self.isGranted(await Self.verdict(quotas, [Self.charge(1, rate)])))
    }

    @Test func `the client authenticates to the store, and a refusal is reported`() async throws {
        let server = try RedisServer(["--requirepass", "right"])
        var settings = Self.settings(server.port)
        settings.password = Array("right".utf8)
        let good = try Self.start(settings)
        defer { good.stop() }
        try await Self.connected(good)
        let rate = QuotaRate(requests: 10, period: .seconds(3600))
        #expect(Self.isGranted(await Self.verdict(good, [Self.charge(1, rate)])))
        for (password, word) in [(nil, "NOAUTH"), (Array("wrong".utf8), "WRONGPASS")] as [([UInt8]?, String)] {
            settings.password = password
            let reports = Reports()
            let bad = try Self.start(settings, reports)
            defer { bad.stop() }
            try await Self.holds("the refusal is reported") { !reports.list.isEmpty }
            guard case .refused(let text)?? = reports.list.first else {
                Issue.record("\(reports.list)")
                return
            }
            #expect(text.hasPrefix(word) && !bad.isConnected)
        }
    }

    @Test func `a store key of another type gives no verdict`() async throws {
        let server = try RedisServer()
        let quotas = try Self.start(Self.settings(server.port))
        defer { quotas.stop() }
        try await Self.connected(quotas)
        let script = try #require(QuotaScript(secret: Self.secret))
        let rate = QuotaRate(requests: 10, period: .seconds(3600))
        let key = try #require(script.command([Self.charge(1, rate)], digest: []))[3]
        _ = try Self.ask(server, [Array("SET".utf8), key, Array("nonsense".utf8)])
        #expect(await Self.verdict(quotas, [Self.charge(1, rate)]) == nil)
    }

    @Test(arguments: [
        "+OK\r\n+OK\r\n", "$5\r\nhello\r\n$5\r\nhello\r\n", "*2147483647\r\n", "*-5\r\n", "$9999999999\r\n",
        "$536870911\r\n",
        "*7\r\n*7\r\n*7\r\n*7\r\n*7\r\n*7\r\n*7\r\n*7\r\n*7\r\n", "GET / HTTP/1.1\r\n\r\n", "-ERR no\r\n",
        ":99999999999999999999999\r\n",
        "+OK\r\n$40\r\n0123456789012345678901234567890123456789\r\n:1\r\n", "\0\0\0\0",
    ])
    func `invalid replies of a store are ignored`(answer: String) async throws {
        let (store, reports) = (try ScriptedStore(Array(answer.utf8)), Reports())
        defer { store.stop() }
        let quotas = try Self.start(Self.settings(store.port, timeout: .milliseconds(50)), reports)
        defer { quotas.stop() }
        let rate = QuotaRate(requests: 10, period: .seconds(3600))
        try await Self.holds("it is reported, or asked") { !reports.list.isEmpty || quotas.isConnected }
        #expect(await Self.verdict(quotas, [Self.charge(1, rate)]) == nil)
        try await Self.holds("it is reported") { !reports.list.isEmpty }
    }

    @Test(arguments: [[UInt8](repeating: 0x78, count: 100_000), Array("*32\r\n".utf8), Array("$60000\r\nx".utf8)])
    func `a store that floods the connection is disconnected`(bytes: [UInt8]) async throws {
        let (store, reports) = (try ScriptedStore(bytes, repeats: true), Reports())
        defer { store.stop() }
        let quotas = try Self.start(Self.settings(store.port), reports)
        defer { quotas.stop() }
        try await Self.holds("it is reported") { !reports.list.isEmpty }
        #expect(!quotas.isConnected)
    }

    @Test func `an unreachable store is reported once`() async throws {
        let (port, reports) = (try RedisServer.freePort(), Reports())
        let quotas = try Self.start(Self.settings(port), reports)
        try await Self.holds("it is reported") { !reports.list.isEmpty }
        #expect(await Self.verdict(quotas, [Self.charge(1, QuotaRate(requests: 1, period: .seconds(1)))]) == nil)
        #expect(quotas.figures.unanswered == 1 && reports.list.count == 1)
        quotas.stop()
    }
}
