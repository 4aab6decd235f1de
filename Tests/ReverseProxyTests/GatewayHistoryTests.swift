import Foundation
import JOSE
import NIOCore
import ProxySettings
import RequestHistory
import TestSupport
import Testing
import TokenVerification

@testable import ReverseProxy

/// Latest refusals and heaviest callers.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct GatewayHistoryTests {
    private static let expiry = Int(Date.now.timeIntervalSince1970) + 600

    /// A token of `user-1` whose audience is wrong, so that its request is refused although its claims are proved.
    private static let token = TestToken.good.with("iss", #""https://idp.example""#).with("exp", "\(expiry)").with(
        "iat", "\(expiry - 900)"
    ).with("aud", #""x""#).with("client_id", #""app-1""#).signed(by: TestKeys.rsa)

    /// A token of `user-1` that is accepted.
    private static let permitted = TestToken.good.with("iss", #""https://idp.example""#).with("exp", "\(expiry)").with(
        "iat", "\(expiry - 900)"
    ).with("client_id", #""app-1""#).signed(by: TestKeys.rsa)

    private func settings(_ redact: (inout LogRedaction) -> Void = { _ in }) -> GatewaySettings {
        var settings = GatewaySettings(keys: TestKeys.set)
        settings.history = HistorySettings()
        redact(&settings.redaction)
        return settings
    }

    /// Sends requests on connections of their own, and reads their answers.
    private func ask(_ targets: [String], _ gateway: GatewayFixture, token: String? = nil) async throws {
        let credentials = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        for target in targets {
            let client = try await gateway.connect()
            client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\(credentials)Connection: close\r\n\r\n")
            _ = try await client.receiveToEnd()
        }
    }

    /// Requests that the event loops have counted by themselves, without a reader.
    private func counted(_ gateway: GatewayFixture) async throws -> UInt64 {
        var total: UInt64 = 0
        for loop in gateway.gateway.loops {
            let callers = try await loop.eventLoop.submit { loop.value.loop.history?.callers }.get()
            total += callers?.addresses.summary.total ?? 0
        }
        return total
    }

    @Test func `refused requests are kept as the access log has them, newest first`() async throws {
        var settings = settings()
        settings.eventLoops = 2
        try await withGateway(settings) { gateway in
            let echo = gateway.upstream.echo()
            defer { echo.cancel() }
            try await ask(["/private/1", "/shop/2", "/private/3", "/private/4"], gateway)
            let logged = try await gateway.logLines(4).filter { $0.contains(#""status":401"#) }
            let report = try #require(await gateway.gateway.refusals())
            let lines = report.lines.map { String(decoding: $0, as: UTF8.self) }
            // Each event loop hands over its own lines, so the log has another order.
            #expect(lines.count == 3 && Set(lines) == Set(logged))
            #expect(zip(lines, [4, 3, 1]).allSatisfy { $0.contains(#""path":"/private/\#($1)""#) })
            #expect(report.noted == 3 && report.leftOut == 0)
        }
    }

    @Test func `without an access log an event loop keeps so many lines a second, and counts the others`() {
        var history = LoopHistory(capacity: 1 << 20)
        for second in [Int64(0), 1, 5] {
            let now = second * 1_000_000_000
            var kept = 0
            for _ in 0..<1000 where history.keepsLine(isLogged: false, at: now) { kept += 1 }
            #expect(kept == 200)
            let isKept = history.keepsLine(isLogged: true, at: now)
            #expect(isKept)
        }
        #expect(history.refusals.leftOut == 2400)
    }

    @Test func `refused requests are kept without an access log`() async throws {
        try await withGateway(settings()) { gateway in
            try gateway.gateway.state.accessLog.redirect(to: .none)
            try await ask(["/private/1", "/private/2"], gateway)
            let report = try #require(await gateway.gateway.refusals())
            #expect(report.lines.count == 2)
            #expect(report.lines.allSatisfy { $0.first == UInt8(ascii: "{") && $0.last == UInt8(ascii: "}") })
        }
    }

    @Test func `nothing is kept unless the configuration asks for it`() async throws {
        var settings = settings()
        settings.history = nil
        try await withGateway(settings) { gateway in
            try await ask(["/private/1"], gateway)
            #expect(await gateway.gateway.refusals() == nil)
            #expect(await gateway.gateway.callers() == nil)
        }
    }

    @Test func `callers are counted by client, subject and address`() async throws {
        try await withGateway(settings()) { gateway in
            try await ask(["/private/1", "/private/2", "/private/3"], gateway, token: Self.token)
            try await ask(["/private/4"], gateway)
            let report = try #require(await gateway.gateway.callers())
            #expect(report.subjects.callers.map(\.name) == ["user-1"])
            #expect(report.subjects.callers.map(\.issuer) == ["idp"])
            #expect(report.clients.callers.map(\.name) == ["app-1"])
            #expect(report.clients.callers.map(\.count) == [3])
            #expect(report.addresses.callers.map(\.name) == ["127.0.0.1"])
            #expect(report.addresses.callers.map(\.count) == [4])
            #expect(report.addresses.callers.map(\.issuer) == [nil])
            #expect(report.subjects.total == 3 && report.addresses.total == 4)
        }
    }

    @Test func `requests are counted by the key that signed their tokens, permitted or not`() async throws {
        try await withGateway(settings()) { gateway in
            let echo = gateway.upstream.echo()
            defer { echo.cancel() }
            try await ask(["/private/1", "/private/2"], gateway, token: Self.token)
            try await ask(["/private/3"], gateway, token: Self.permitted)
            try await ask(["/private/4"], gateway, token: "e30.e30.e30")
            let signers = try #require(await gateway.gateway.signers())
            #expect(signers.callers.map(\.count) == [3])
            #expect(signers.callers.map(\.issuer) == ["idp"])
        }
    }

    @Test func `who passed a rule is told by client, and is only who passed it`() async throws {
        var settings = settings()
        settings.eventLoops = 2
        try await withGateway(settings) { gateway in
            let echo = gateway.upstream.echo()
            defer { echo.cancel() }
            try await ask(["/private/1", "/private/2", "/shop/1"], gateway, token: Self.permitted)
            try await ask(["/private/3"], gateway, token: Self.token)
            let report = try #require(await gateway.gateway.passed(resource: "closed", rule: "ANY /**"))
            #expect(report.callers.map(\.isClient) == [true])
            #expect(report.callers.map(\.caller.name) == ["app-1"])
            #expect(report.callers.map(\.caller.issuer) == ["idp"])
            #expect(report.callers.map(\.caller.count) == [2])
            #expect(report.callers.map(\.caller.error) == [0])
            #expect(await gateway.gateway.passed(resource: "x", rule: "GET /x")?.callers == [])
        }
    }

    @Test(.enabled(if: TestedTokenCache.isOn, "the token cache is off"))
    func `requests of a known token are counted at the next tick, nobody has to read them`() async throws {
        try await withGateway(settings()) { gateway in
            let echo = gateway.upstream.echo()
            defer { echo.cancel() }
            let targets = [String](repeating: "/private/1", count: 20)
            try await ask(targets, gateway, token: Self.permitted)
            let end = ContinuousClock.now + .seconds(10)
            while try await counted(gateway) < 20, ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(try await counted(gateway) == 20)
            let report = try #require(await gateway.gateway.callers())
            for ranking in [report.clients, report.subjects, report.addresses] {
                #expect(ranking.callers.map(\.count) == [20])
            }
            let passed = await gateway.gateway.passed(resource: "closed", rule: "ANY /**")
            #expect(passed?.callers.map(\.caller.count) == [20])
        }
    }

    @Test func `a hashed subject is counted as its pseudonym, and a dropped one not at all`() async throws {
        let settings = settings {
            $0.subject = .hashed
            $0.clientID = .dropped
            $0.client = .dropped
        }
        try await withGateway(settings) { gateway in
            try await ask(["/private/1", "/private/2"], gateway, token: Self.token)
            let report = try #require(await gateway.gateway.callers())
            let line = try #require(await gateway.gateway.refusals()?.lines.first)
            let pseudonym = try #require(report.subjects.callers.first?.name)
            #expect(pseudonym.utf8.count == 64)
            #expect(String(decoding: line, as: UTF8.self).contains(#""subject":"\#(pseudonym)""#))
            #expect(report.subjects.callers.map(\.count) == [2])
            #expect(report.clients.callers.isEmpty && report.addresses.callers.isEmpty)
        }
    }

    @Test func `a reload that redacts more forgets what it redacts`() async throws {
        try await withGateway(settings()) { gateway in
            try await ask(["/private/1"], gateway, token: Self.token)
            let next = settings { $0.subject = .dropped }
            await gateway.gateway.reload(try next.configuration(for: [gateway.upstream.target], generation: 2))
            #expect(await gateway.gateway.refusals()?.lines == [])
            #expect(await gateway.gateway.callers()?.subjects.callers == [])
            try await ask(["/private/1"], gateway, token: Self.token)
            #expect(await gateway.gateway.callers()?.subjects.callers == [])
            #expect(await gateway.gateway.refusals()?.lines.count == 1)
        }
    }

    @Test func `a request that ends after a reload brings back nothing that the reload redacts`() async throws {
        try await withGateway(settings()) { gateway in
            let client = try await gateway.connect()
            client.send("GET /shop/1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            let upstream = try await gateway.upstream.connection()
            _ = try await upstream.receive(through: "\r\n\r\n")
            let next = settings { $0.client = .dropped }
            await gateway.gateway.reload(try next.configuration(for: [gateway.upstream.target], generation: 2))
            upstream.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            _ = try await client.receiveToEnd()
            #expect(await gateway.gateway.callers()?.addresses.callers == [])
        }
    }

    @Test func `a reload that changes nothing of that keeps them`() async throws {
        try await withGateway(settings()) { gateway in
            try await ask(["/private/1"], gateway, token: Self.token)
            let next = try settings().configuration(for: [gateway.upstream.target], generation: 2)
            await gateway.gateway.reload(next)
            #expect(await gateway.gateway.refusals()?.lines.count == 1)
            #expect(await gateway.gateway.callers()?.subjects.callers.map(\.count) == [1])
        }
    }
}
