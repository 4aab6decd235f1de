import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

/// The operators' page of a running gateway, and the JSON behind it.
@Suite(.serialized) struct ConsoleEndToEndTests {
    private static let hostile = #"<script>document.title='owned'</script><img src=x>\u202e\u001b[2J"#

    /// Results of the script that uses the page.
    private struct Sight: Decodable {
        let shows: Bool
        let ready: String
        let issuers: String
        let upstreams: String
        let rules: String
        let reasons: String
        let wrong: String
        let personsShown: Bool
        let refusals: String
        let callers: String
        let opened: String
        let overflow: Int
        let foreign: Int
        let title: String
        let unseen: Bool
        let filtered: Bool
        let found: Bool
        let fetched: String
        let asked: String
        let drained: String
        let returned: Bool
        let address: String
        let stored: Int
        let faults: [String]
        let markup: String
        let forgotten: Bool
        let trespass: [String: String]
    }

    /// A gateway with two targets that permitted one request and refused three, two of them of a hostile subject.
    private static func withTraffic(_ body: (ServedFile) async throws -> Void) async throws {
        let upstreams = [try await LoopbackServer.upstream(), try await LoopbackServer.upstream()]
        let stand = try DenialStand(upstream: #"["\#(upstreams[0].url)", "\#(upstreams[1].url)"]"#)
        let served = try await ServedFile.start(stand.text())
        #expect(try await served.ask("/x", token: stand.token("u1")).status == 200)
        let expired = DenialStand.claims(hostile).with("exp", "1000").signed(by: TestKeys.ec)
        #expect(try await served.ask("/orders/7?x=%3Cb%3E", token: expired).status == 401)
        #expect(try await served.ask("/x", token: stand.token(hostile)).status == 401)
        #expect(try await served.ask("/x", token: nil, method: .POST).status == 403)
        // Counts reach the admin listener within a second.
        let isCounted = await BearwardProcess.wait {
            let overview = try? await served.administration("/api/overview").body
            return overview?.contains(#""requests":3"#) == true && overview?.contains(#""reason":"no_rule""#) == true
        }
        #expect(isCounted)
        try await body(served)
        await served.stop()
        for upstream in upstreams { await upstream.stop() }
    }

    @Test func `the overview counts requests by rule and reason, and names no person`() async throws {
        try await Self.withTraffic { served in
            let answer = try await served.administration("/api/overview")
            #expect(answer.status == 200)
            #expect(answer.fields["Cache-Control"] == ["no-store"])
            #expect(answer.fields["Cross-Origin-Resource-Policy"] == ["same-origin"])
            let state = try #require(
                try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any])
            #expect(state["ready"] as? Bool == true)
            let rules = try #require(state["rules"] as? [[String: Any]])
            let rule = try #require(rules.first { $0["rule"] as? String == "GET /**" })
            #expect(rule["resource"] as? String == "orders" && rule["requests"] as? Int == 3)
            #expect(rule["401"] as? Int == 2 && rule["403"] as? Int == 0)
            let reasons = try #require(state["refusals"] as? [[String: Any]])
            #expect(Set(reasons.compactMap { $0["reason"] as? String }) == ["expired", "no_rule", "subject_invalid"])
            let upstreams = try #require(state["upstreams"] as? [[String: Any]])
            #expect((upstreams.first?["targets"] as? [[String: Any]])?.count == 2)
            for person in [#""u1""#, "owned", #"127.0.0.1""#, "/orders/7"] {
                #expect(!answer.body.contains(person), "\(person)")
            }
        }
    }

    @Test func `the page and its files have the policy, and are not served under another name`() async throws {
        try await Self.withTraffic { served in
            for (path, type) in [
                ("/", "text/html"), ("/console.css", "text/css"), ("/console.js", "text/javascript"),
            ] {
                let answer = try await served.administration(path)
                #expect(answer.status == 200, "\(path)")
                #expect(answer.fields["Content-Type"] == ["\(type); charset=utf-8"])
                let policy = answer.fields["Content-Security-Policy"].joined()
                #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self';"))
                #expect(policy.hasSuffix("require-trusted-types-for 'script'; trusted-types 'none'"))
                #expect(answer.fields["X-Content-Type-Options"] == ["nosniff"])
                #expect(answer.fields["Referrer-Policy"] == ["no-referrer"])
                #expect(answer.fields["Cross-Origin-Opener-Policy"] == ["same-origin"])
                #expect(answer.fields["Cross-Origin-Resource-Policy"] == ["same-origin"])
            }
            for path in ["/", "/console.js", "/api/overview"] {
                var request = HTTPClientRequest(url: "http://127.0.0.1:\(served.adminPort)\(path)")
                request.headers.add(name: "Host", value: "evil.example:\(served.adminPort)")
                #expect(try await HTTPClient.shared.execute(request, timeout: .seconds(20)).status.code == 421)
            }
            let page = try await served.administration("/").body
            #expect(page.contains(#"<code class="pattern">GET /**</code>"#) && page.contains(">expired</code>"))
            #expect(!page.contains("owned") && !page.contains("/orders/7"))
        }
    }

    @Test(.slow, .enabled(if: Interop.browser != nil && Interop.python != nil))
    func `an operator sees each panel in a browser, hostile names do nothing, and another origin gets nothing (T566)`()
        async throws
    {
        let (python, browser) = (try #require(Interop.python), try #require(Interop.browser))
        try await Self.withTraffic { served in
            let script = try BearwardProcess(
                program: python,
                [
                    Interop.script("console.py"), "http://127.0.0.1:\(served.adminPort)", DenialStand.operatorToken,
                    browser.path,
                ])
            let status = await script.exitStatus(within: .seconds(120))
            #expect(status == 0, "\(script.standardOutput) \(script.standardError)")
            let sight = try JSONDecoder().decode(Sight.self, from: Data(script.standardOutput.utf8))
            Self.expectPanels(sight)
            #expect(sight.faults.isEmpty && sight.foreign == 0 && !sight.unseen && sight.overflow <= 0)
            #expect(sight.title.hasPrefix("● Bearward") && sight.markup == "TypeError")
            #expect(sight.fetched.contains("1 key") && sight.asked == "drain: sure?")
            #expect(sight.drained.contains("out") && sight.returned)
            // The token is nowhere but in the page.
            #expect(sight.address == "http://127.0.0.1:\(served.adminPort)/" && sight.stored == 0 && sight.forgotten)
            #expect(!served.gateway.standardOutput.contains(DenialStand.operatorToken))
            #expect(sight.trespass.count == 6 && sight.trespass.values.allSatisfy { $0 == "refused" })
        }
    }

    private static func expectPanels(_ sight: Sight) {
        #expect(sight.shows && sight.ready == "READY")
        #expect(sight.issuers.contains("logto") && sight.issuers.contains("1 key"))
        #expect(sight.upstreams.contains("orders") && sight.upstreams.contains("127.0.0.1:"))
        #expect(sight.rules.contains("GET /**") && sight.reasons.contains("expired"))
        #expect(sight.wrong.contains("401"))
        #expect(sight.personsShown && sight.filtered && sight.found)
        #expect(sight.refusals.contains("expired") && sight.refusals.contains("/orders/7"))
        #expect(sight.callers.contains("<script>document.title='owned'</script>"))
        #expect(sight.opened.contains("request_id") && sight.opened.contains("bearward why "))
    }
}
