import AsyncHTTPClient
import DevelopmentIssuer
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization
import TestSupport
import Testing

/// Load balancing in the real command: a target that is gone is ejected, and the admin listener reports it.
@Suite(.serialized) struct FleetEndToEndTests {
    private struct Report: Decodable {
        struct Upstream: Decodable {
            let resource: String
            let path: String
            let targets: [Target]
            let waiting: Int
        }

        struct Target: Decodable {
            let target: String
            let state: String
            let since: Int?
            let cause: String?
            let inFlight: Int

            enum CodingKeys: String, CodingKey {
                case target, state, cause
                case since = "since_seconds"
                case inFlight = "in_flight"
            }
        }

        let upstreams: [Upstream]
    }

    private static func text(shop: String, deadPort: Int) -> String {
        """
        listen: 127.0.0.1:0
        admin: 127.0.0.1:0
        timeouts: {drain: 1s}
        resources:
          open:
            at: [/]
            upstream: {targets: ["\(shop)", "http://127.0.0.1:\(deadPort)"], balance: round_robin, eject: {for: 1h}}
            rules: {GET /**: {public: true}}

        """
    }

    @Test func `a dead target is ejected, and the admin listener reports which target and why`() async throws {
        let shop = try await SampleShop.start()
        let deadPort = try FreePort.find()
        let served = try await ServedFile.start(Self.text(shop: shop.url, deadPort: deadPort))
        for _ in 0..<30 { #expect(try await served.ask("/status", token: nil).status == 200) }
        let answer = try await served.administration("/api/upstreams")
        let report = try JSONDecoder().decode(Report.self, from: Data(answer.body.utf8))
        let targets = try #require(report.upstreams.first?.targets)
        #expect(
            report.upstreams.count == 1 && report.upstreams.first?.resource == "open"
                && report.upstreams.first?.path == "/")
        #expect(targets.map(\.state) == ["in", "out"] && targets.map(\.inFlight) == [0, 0])
        #expect(
            targets[1].target == "127.0.0.1:\(deadPort)" && targets[1].cause == "no connection"
                && targets[1].since != nil)
        #expect(served.gateway.count(of: "Upstream target is left out after failures") == 1)
        let metrics = try await served.administration("/metrics").body
        #expect(
            metrics.contains(
                #"bearward_upstream_target_in{resource="open",path="/",target="127.0.0.1:\#(deadPort)"} 0"#))
        // A page whose host name resolves to this address must not read the answer (DNS rebinding).
        for (host, status) in [
            ("evil.example", 421), ("127.0.0.1.evil.example:\(served.adminPort)", 421), ("localhost", 200),
            ("[::1]:1", 200),
        ] {
            #expect(try await Self.status(served, host: host) == status, "\(host)")
        }
        await served.stop()
        await shop.stop()
    }

    @Test func `an operator with the token drains a target and brings it back`() async throws {
        let shops = [try await SampleShop.start(), try await SampleShop.start()]
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let token = try folder.write("0123456789abcdef0123456789abcdef\n", to: "token")
        let served = try await ServedFile.start(
            """
            listen: 127.0.0.1:0
            admin: {address: "127.0.0.1:0", token_file: "\(token.path)"}
            timeouts: {drain: 1s}
            resources:
              open:
                at: [/]
                upstream: ["\(shops[0].url)", "\(shops[1].url)"]
                rules: {GET /**: {public: true}}

            """)
        let target = shops[0].url.replacing("http://", with: "")
        func post(_ path: String, _ token: String?) async throws -> (status: Int, body: String) {
            var request = HTTPClientRequest(url: "http://127.0.0.1:\(served.adminPort)/api/upstreams/\(path)")
            request.method = .POST
            if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
            let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(10))
            return (Int(answer.status.code), String(buffer: try await answer.body.collect(upTo: 65_536)))
        }
        let good = "0123456789abcdef0123456789abcdef"
        #expect(try await post("drain?target=\(target)", nil).status == 401)
        #expect(try await post("drain?target=\(target)", "wrong").status == 401)
        #expect(try await post("drain?target=10.9.9.9:1", good).status == 404)
        #expect(try await post("drain?target=\(target)&resource=other", good).status == 404)
        #expect(try await post("drain", good).status == 400)
        let drained = try await post("drain?target=\(target)", good)
        let report = try JSONDecoder().decode(Report.self, from: Data(drained.body.utf8))
        #expect(drained.status == 200 && report.upstreams.first?.targets.map(\.state) == ["out", "in"])
        #expect(report.upstreams.first?.targets.first?.cause == "drained by an operator")
        for _ in 0..<10 { #expect(try await served.ask("/status", token: nil).status == 200) }
        let metrics = try await served.administration("/metrics").body
        #expect(!metrics.contains(#"bearward_upstream_requests_total{target="\#(target)""#))
        #expect(served.gateway.count(of: "Upstream target is drained") == 1)
        let back = try JSONDecoder().decode(
            Report.self, from: Data(try await post("return?target=\(target)&path=/", good).body.utf8))
        #expect(back.upstreams.first?.targets.map(\.state) == ["in", "in"])
        await served.stop()
        for shop in shops { await shop.stop() }
    }

    @Test
    func `a target gets its configured number of requests, others wait in order, and the rest are refused`()
        async throws
    {
        let gate = Gate()
        let upstream = try await LoopbackServer.start { request in
            await gate.pass(request.path)
            return LoopbackReply(body: ByteBuffer(string: "ok"))
        }
        let served = try await ServedFile.start(
            """
            listen: 127.0.0.1:0
            admin: 127.0.0.1:0
            event_loops: 2
            timeouts: {drain: 1s}
            resources:
              open:
                at: [/]
                upstream: {targets: "\(upstream.url)", connections: {most: 2, waiting: 3, wait: 30s}}
                rules: {GET /**: {public: true}}

            """)
        var clients: [RawConnection] = []
        for number in 0..<5 {
            let client = try RawConnection(port: served.port)
            client.send(Array("GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
            clients.append(client)
            let expected = (min(2, number + 1), max(0, number - 1))
            #expect(await Self.come(served, inFlight: expected.0, waiting: expected.1))
        }
        let refused = try RawConnection(port: served.port)
        refused.send(Array("GET /5 HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
        refused.receive { $0.contains("}") }
        let text = String(decoding: refused.received, as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 503 ") && text.lowercased().contains("\r\nretry-after: 1\r\n"), "\(text)")
        #expect(await served.logHas(lines: 1))
        #expect(served.lastReason == "overloaded")
        let metrics = try await served.administration("/metrics").body
        #expect(metrics.contains(#"bearward_upstream_requests_waiting{resource="open",path="/"} 3"#))
        #expect(metrics.contains(#"bearward_limit_hits_total{limit="upstream_connections"} 1"#))
        #expect(gate.order == ["/0", "/1"] || gate.order == ["/1", "/0"])
        for number in 2..<5 {
            gate.open(for: 1)
            #expect(await BearwardProcess.wait { gate.order.count > number })
            #expect(gate.order[number] == "/\(number)")
        }
        gate.open(for: 2)
        for client in clients {
            client.receive { $0.hasSuffix("ok") }
            #expect(String(decoding: client.received, as: UTF8.self).hasPrefix("HTTP/1.1 200 "))
        }
        #expect(gate.mostAtOnce == 2)
        await served.stop()
        await upstream.stop()
    }

    /// True if this many requests reach the first target, and this many wait, in time.
    private static func come(_ served: ServedFile, inFlight: Int, waiting: Int) async -> Bool {
        for _ in 0..<500 {
            let answer = try? await served.administration("/api/upstreams")
            let report = answer.flatMap { try? JSONDecoder().decode(Report.self, from: Data($0.body.utf8)) }
            if report?.upstreams.first?.waiting == waiting, report?.upstreams.first?.targets.first?.inFlight == inFlight
            {
                return true
            }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    private static func status(_ served: ServedFile, host: String) async throws -> Int {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(served.adminPort)/api/upstreams")
        request.headers.add(name: "Host", value: host)
        return Int(try await HTTPClient.shared.execute(request, timeout: .seconds(10)).status.code)
    }
}

/// Holds requests at an upstream until they are released.
private final class Gate: Sendable {
    private struct State {
        var order: [String] = []
        var held: [CheckedContinuation<Void, Never>] = []
        var mostAtOnce = 0
    }

    private let state = Mutex(State())

    /// The paths of requests, in order of arrival.
    var order: [String] { state.withLock { $0.order } }
    var mostAtOnce: Int { state.withLock { $0.mostAtOnce } }

    func pass(_ path: String) async {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                state.order.append(path)
                state.held.append(continuation)
                state.mostAtOnce = max(state.mostAtOnce, state.held.count)
            }
        }
    }

    /// Releases the requests that arrived first.
    func open(for count: Int) {
        let passing = state.withLock { state in
            defer { state.held.removeFirst(min(count, state.held.count)) }
            return Array(state.held.prefix(count))
        }
        for continuation in passing { continuation.resume() }
    }
}
