import Foundation
import TestSupport
import Testing

/// A page in a real browser whose scripts use the gateway from the page's own origin.
@Suite(.serialized) struct BrowserEndToEndTests {
    private static let rules = """
              GET /public/{thing}: {public: true}
              POST /public/report: {public: true}
              GET /api/**: shopping:read
              POST /api/whoami: shopping:write
        """

    /// Results that the page posts.
    private struct Sight: Decodable {
        struct Answer: Decodable, Equatable {
            let status: Int
            let isChallenged: Bool
            let text: String

            init(from decoder: any Decoder) throws {
                var values = try decoder.unkeyedContainer()
                status = try values.decode(Int.self)
                isChallenged = try values.decode(Bool.self)
                text = try values.decode(String.self)
            }
        }

        struct Socket: Decodable, Equatable {
            let received: [Int]
            let code: Int
            let isClean: Bool

            init(_ received: [Int], _ code: Int, isClean: Bool) {
                self.received = received
                self.code = code
                self.isClean = isClean
            }

            init(from decoder: any Decoder) throws {
                var values = try decoder.unkeyedContainer()
                received = try values.decode([Int].self)
                code = try values.decode(Int.self)
                isClean = try values.decode(Bool.self)
            }
        }

        let none: Answer?
        let good: Answer?
        let scope: Answer?
        let posted: Answer?
        let events: [String]?
        let socket: Socket?
        let refusedSocket: Socket?
        let forgedSocket: Socket?
        let tokenSocket: Socket?
        let chatSocket: Socket?
        let foreignSocket: String?
        /// The subprotocol of each opened socket, by its path.
        let chosen: [String: String]?
        let protocols: [String]?
        let error: String?
    }

    @Test(
        .slow, .enabled(if: Interop.browser != nil && Interop.pythonWithWebSockets != nil),
        arguments: ["h2", "http/1.1"])
    func `a page can use fetch, EventSource and WebSocket, and can read their refusals`(version: String) async throws {
        let python = try #require(Interop.pythonWithWebSockets)
        let browser = try #require(Interop.browser)
        let (server, port) = try await Interop.serve("browser.py", with: python)
        defer { server.signal(SIGKILL) }
        let edge = try await EdgeFixture.start(
            listener: "tls: {certificate: @certificate, key: @key}, protocols: [\(version)]",
            upstream: "http://127.0.0.1:\(port)",
            rules: Self.rules, resourceLines: "    websocket: {token: subprotocol}\n")
        let text = edge.text.replacing("token_type: at+jwt", with: "token_type: at+jwt, leeway: 0s")
        try await edge.gateway.reload(text.replacing("at: [/api]", with: "at: [/]"))
        let tokens = [
            "good": try edge.token(), "write": try edge.token(scopes: ["shopping:write"]),
            "short": try edge.token(lifetime: .seconds(8)),
        ]
        let certificate = edge.authority.anchor.deletingLastPathComponent().appendingPathComponent("edge.pem").path
        let page = try BearwardProcess(
            program: python,
            [
                Interop.script("browser.py"), "\(edge.port)", certificate, browser.path,
                String(decoding: try JSONEncoder().encode(tokens), as: UTF8.self),
            ])
        let hasReported = await BearwardProcess.wait(atMost: .seconds(60)) {
            server.standardOutput.contains(/report .*\n/)
        }
        page.signal(SIGTERM)
        _ = await page.exitStatus()
        #expect(hasReported, "\(server.standardOutput) \(server.standardError) \(page.standardError)")
        let report = try #require(server.standardOutput.firstMatch(of: /report (.*)\n/)).output.1
        let sight = try JSONDecoder().decode(Sight.self, from: Data(report.utf8))
        #expect(sight.error == nil)
        #expect(sight.none?.status == 401 && sight.none?.isChallenged == true)
        #expect(sight.good?.status == 200 && sight.good?.text == "GET user-1 0")
        #expect(sight.scope?.status == 403 && sight.scope?.isChallenged == true)
        #expect(sight.posted?.status == 200 && sight.posted?.text == "POST user-1 300000")
        #expect(sight.events == ["event 0", "event 1", "event 2"])
        #expect(sight.socket == Sight.Socket([5, 200_000], 4001, isClean: true))
        #expect(sight.refusedSocket == Sight.Socket([], 1006, isClean: false))
        // A token among the subprotocols opens a socket, whether or not the application chooses a protocol.
        #expect(sight.forgedSocket == Sight.Socket([], 1006, isClean: false))
        #expect(sight.tokenSocket == Sight.Socket([5, 200_000], 4001, isClean: true))
        #expect(sight.chatSocket == Sight.Socket([5, 200_000], 4001, isClean: true))
        #expect(sight.chosen == ["/public/socket": "", "/api/socket": "bearer", "/api/chat/socket": "chat"])
        #expect(sight.foreignSocket == "refused")
        #expect(edge.gateway.gateway.standardOutput.contains("\"reason\":\"origin_refused\""), "T448")
        #expect(!edge.gateway.gateway.standardOutput.contains(try #require(tokens["good"])))
        #expect(sight.protocols == [version])
        // Over HTTP/2 the socket is one stream among others (RFC 8441).
        #expect(server.standardOutput.contains("socket asked for by \(version == "h2" ? "2.0" : "1.1") bearward"))
        #expect(report.contains(#""stream":["ended",true]"#), "a stream ends whole with its token")
        await edge.stop()
    }
}
