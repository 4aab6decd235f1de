import Foundation
import TestSupport
import Testing

/// Limits of the configuration file over real sockets, each at its value and one past it.
@Suite(.serialized) final class ThreatLimitTests {
    /// Request heads at and past a limit, with true for those that are allowed.
    static let heads: [(name: String, line: String, fields: [String], isAllowed: Bool)] = [
        ("a field's value of 8 KiB", "GET /public/x HTTP/1.1", ["X: " + String(repeating: "x", count: 8192)], true),
        (
            "a field's value of a byte more", "GET /public/x HTTP/1.1", ["X: " + String(repeating: "x", count: 8193)],
            false
        ),
        // `ask` adds two fields.
        ("100 fields", "GET /public/x HTTP/1.1", (0..<98).map { "X-\($0): x" }, true),
        ("101 fields", "GET /public/x HTTP/1.1", (0..<99).map { "X-\($0): x" }, false),
        ("a target of 8 KiB", "GET /public/" + String(repeating: "x", count: 8192 - 8) + " HTTP/1.1", [], true),
        ("a target of a byte more", "GET /public/" + String(repeating: "x", count: 8192 - 7) + " HTTP/1.1", [], false),
    ]

    @Test func `T275 a head one past any of its limits is refused, and not forwarded`() async throws {
        let lab = try await ThreatLab.start()
        for example in Self.heads {
            let (response, request) = try lab.ask(example.line, example.fields)
            #expect((request != nil) == example.isAllowed, "\(example.name)")
            #expect(
                response.hasPrefix(example.isAllowed ? "HTTP/1.1 200 " : "HTTP/1.1 4"),
                "\(example.name): \(response.prefix(60))")
        }
        // The whole head: request line, Host, Connection, blank line, and fields that fill it up.
        for (size, isAllowed) in [(32_768, true), (32_769, false)] {
            let fixed = "GET /public/x HTTP/1.1\r\nHost: lab.example\r\nConnection: close\r\n\r\n".utf8.count
            let fields = (0..<5).map { index in
                let whole = index < 4 ? 8000 : size - fixed - 32_000
                return "X-\(index): " + String(repeating: "x", count: whole - 7)
            }
            let (response, request) = try lab.ask("GET /public/x HTTP/1.1", fields)
            #expect((request != nil) == isAllowed, "\(size): \(response.prefix(60))")
        }
        await lab.stop()
    }

    @Test func `T399 oversized heads from a thousand concurrent clients are refused and cost little memory`()
        async throws
    {
        let lab = try await ThreatLab.start()
        #expect(try lab.ask("GET /public/x HTTP/1.1", []).response.hasPrefix("HTTP/1.1 200 "))
        let figures = ProcessFigures(lab.served.gateway)
        let before = figures.residentKiB
        let fields = (0..<200).map { "X-\($0): " + String(repeating: "x", count: 318) }.joined(separator: "\r\n")
        let head = Array(("GET /public/x HTTP/1.1\r\nHost: lab.example\r\n" + fields + "\r\n\r\n").utf8)
        #expect(head.count >= 65_000)
        let clients = try (0..<1000).map { _ in try RawConnection(port: lab.served.port) }
        // All clients have sent half of their head before any head is judged.
        for client in clients { client.send(Array(head.prefix(30_000))) }
        for client in clients { client.send(Array(head.dropFirst(30_000))) }
        for client in clients {
            client.receive { _ in !client.statuses.isEmpty }
            #expect(client.statuses == [431])
        }
        #expect(figures.residentKiB - before < 100 * 1024)
        #expect(lab.requests.count == 1)
        await lab.stop()
    }

    @Test func `a body one byte over its limit is refused, with or without a Content-Length`() async throws {
        let lab = try await ThreatLab.start { "limits: {body: 1KiB}\n" + $0 }
        for (size, status) in [(1024, 200), (1025, 413)] {
            let body = String(repeating: "b", count: size)
            let fields = ["Authorization: Bearer GOOD"]
            let counted = try lab.ask("POST /orders HTTP/1.1", fields + ["Content-Length: \(size)"], body: body)
                .response
            #expect(counted.hasPrefix("HTTP/1.1 \(status) "), "\(size)")
            let chunk = String(size, radix: 16) + "\r\n" + body + "\r\n0\r\n\r\n"
            let chunked = try lab.ask("POST /orders HTTP/1.1", fields + ["Transfer-Encoding: chunked"], body: chunk)
                .response
            #expect(chunked.hasPrefix("HTTP/1.1 \(status) "), "\(size) in chunks")
        }
        await lab.stop()
    }

    @Test func `T400 forged tokens of one address get 429 over the limit, and cached tokens are still accepted`()
        async throws
    {
        let lab = try await ThreatLab.start { "limits: {failed_verifications_per_address: 3}\n" + $0 }
        let good = lab.tokens.goodText
        #expect(
            try lab.ask("GET /orders HTTP/1.1", ["Authorization: Bearer \(good)"]).response.hasPrefix("HTTP/1.1 200 "))
        let forged = lab.tokens.good.signed(by: ThreatTokens.other)
        // A new second may begin in between, so the limit is hit within two of them.
        var statuses: [String] = []
        for _ in 0..<8 {
            let response = try lab.ask("GET /orders HTTP/1.1", ["Authorization: Bearer \(forged)"]).response
            statuses.append(String(response.dropFirst(9).prefix(3)))
            guard statuses.last == "429" else { continue }
            #expect(response.lowercased().contains("retry-after: 1\r\n"))
            #expect(!response.lowercased().contains("www-authenticate"))
            break
        }
        #expect(statuses.filter { $0 == "401" }.count >= 3)
        #expect(statuses.last == "429")
        // Without a token cache, a good token is limited like the others.
        let status = TestedTokenCache.isOn ? "200" : "429"
        let good429 = TestedTokenCache.isOn ? 0 : 1
        #expect(
            try lab.ask("GET /orders HTTP/1.1", ["Authorization: Bearer \(good)"]).response.hasPrefix(
                "HTTP/1.1 \(status) "))
        #expect(await BearwardProcess.wait { lab.served.logged("rate_limited") == 1 + good429 })
        await lab.stop()
    }

    @Test func `long tokens with a wrong signature count as forged tokens`() async throws {
        let lab = try await ThreatLab.start { "limits: {failed_verifications_per_address: 3}\n" + $0 }
        let long = lab.tokens.good.with("x", String(repeating: "[", count: 6000)).signed(by: ThreatTokens.other)
        // A new second may begin in between, so the limit is hit within two of them.
        var statuses: [String] = []
        while statuses.count < 8, statuses.last != "429" {
            let response = try lab.ask("GET /orders HTTP/1.1", ["Authorization: Bearer \(long)"]).response
            statuses.append(String(response.dropFirst(9).prefix(3)))
        }
        #expect(statuses.filter { $0 == "401" }.count >= 3)
        #expect(statuses.last == "429")
        await lab.stop()
    }

    @Test func `a connection closes after its last allowed request`() async throws {
        let lab = try await ThreatLab.start { "limits: {requests_per_connection: 2}\n" + $0 }
        let connection = try RawConnection(port: lab.served.port)
        let request = Array("GET /public/x HTTP/1.1\r\nHost: lab.example\r\n\r\n".utf8)
        connection.send(request + request + request)
        connection.receive { _ in false }
        #expect(connection.statuses == [200, 200])
        #expect(connection.hasEnded)
        await lab.stop()
    }
}
