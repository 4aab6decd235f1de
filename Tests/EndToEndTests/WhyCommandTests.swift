import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

/// `bearward why`, beside the running gateway and with an access log; and the answers of the admin listener it reads.
@Suite(.serialized) struct WhyCommandTests {
    private static func why(_ stand: DenialStand, _ arguments: String..., input: String = "") async throws
        -> DenialStand.Outcome
    {
        try await stand.run(["why"] + arguments, input: input)
    }

    @Test func `a refusal is found in the running gateway, a permitted request is not`() async throws {
        try await DenialStand.withRefusal { stand, served, requestID in
            let file = stand.path("bearward.yaml")
            let found = try await Self.why(stand, requestID, "--config", file)
            #expect(found.status == 0, "\(found)")
            #expect(found.output.contains("/orders/7\n"))
            #expect(found.output.contains("→ 401 expired\n"))
            #expect(found.output.contains("    Detail: "))
            let json = try await Self.why(stand, requestID, "--config", file, "--format", "json")
            #expect(json.output.contains(#""request_id":"\#(requestID)""#))
            let permitted = try await served.ask("/x", token: stand.token("u1"))
            let missing = try await Self.why(
                stand, try #require(permitted.fields.first(name: "X-Request-ID")), "--config", file)
            #expect(missing.status == 1 && missing.output.isEmpty, "\(missing)")
            #expect(try await Self.why(stand, "a b", "--config", file).status == 64)
            try stand.put(stand.text(operators: false), "bearward.yaml")
            let without = try await Self.why(stand, requestID, "--config", file)
            #expect(without.status == 78 && without.errors.contains("`admin.token_file`"), "\(without)")
        }
    }

    @Test func `a request is found in an access log, and what acts on a terminal is escaped (T565)`() async throws {
        let stand = try DenialStand(upstream: "http://127.0.0.1:1")
        let hostile =
            #"{"request_id":"r-1","method":"GET","host":"a","path":"/\u001b[2J\u202e\u009b","status":403,"#
            + #""reason":"no_such_reason","detail":"\u001b]0;x\u0007","subject":"r-2"}"#
        let other = #"{"request_id":"r-2","method":"GET","host":"a","path":"/","status":200,"reason":null}"#
        try stand.put([other, hostile, "no JSON r-1", other].joined(separator: "\n") + "\n", "access.log")
        let found = try await Self.why(stand, "r-1", "--log", stand.path("access.log"))
        #expect(found.status == 0, "\(found)")
        #expect(found.output.contains(#"/\u{1b}[2J\u{202e}\u{9b}"#))
        #expect(found.output.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
        let piped = try await Self.why(stand, "r-2", "--log", "-", "--format", "json", input: other + "\n" + hostile)
        #expect(piped.output == other + "\n", "\(piped)")
        #expect(try await Self.why(stand, "r-3", "--log", stand.path("access.log")).status == 1)
        #expect(try await Self.why(stand, "r-1", "--log", stand.path("absent")).status == 1)
    }

    @Test func `who passed a rule and which key signed is told, also of requests with a known token`() async throws {
        try await DenialStand.withRefusal { stand, served, _ in
            // One was permitted already. The others wait in the table of their event loop, or are counted at once.
            for _ in 0..<9 { #expect(try await served.ask("/x", token: stand.token("u1")).status == 200) }
            let token = stand.token("u2")
            for _ in 0..<20 { #expect(try await served.ask("/x", token: token).status == 200) }
            let passed = try await Self.body(of: Self.ask(served, "/api/passed?resource=orders&rule=GET%20/**"))
            let callers = #""callers":[{"kind":"client","issuer":"logto","name":"app-1","count":30,"error":0}]"#
            #expect(passed.contains(callers), "\(passed)")
            let subjects = try await Self.body(of: Self.ask(served, "/api/callers"))
            for count in [#""name":"u2","count":20,"error":0"#, #""name":"u1","count":11,"error":0"#] {
                #expect(subjects.contains(count), "\(subjects)")
            }
            let other = try await Self.body(of: Self.ask(served, "/api/passed?resource=orders&rule=GET%20/*"))
            #expect(other.contains(#""callers":[]"#), "\(other)")
            // The refused token is proved too.
            let overview = try await Self.body(of: Self.ask(served, "/api/overview"))
            #expect(overview.contains(#","count":31}]"#), "\(overview)")
            #expect(try await Self.ask(served, "/api/passed?resource=orders").status == .badRequest)
        }
    }

    private static func body(of response: HTTPClientResponse) async throws -> String {
        String(buffer: try await response.body.collect(upTo: 1 << 20))
    }

    @Test func `answers about persons need the token, and no other site or proxy gets them (T564)`() async throws {
        try await DenialStand.withRefusal { stand, served, requestID in
            for (path, part) in [
                ("/api/refusals", requestID), ("/api/callers", #""name":"u1""#),
                ("/api/passed?resource=orders&rule=GET%20/**", #""name":"app-1""#),
            ] {
                #expect(try await served.administration(path).status == 401)
                let good = try await Self.ask(served, path)
                #expect(good.status == .ok)
                #expect(good.headers["Cache-Control"] == ["no-store"])
                #expect(good.headers["X-Content-Type-Options"] == ["nosniff"])
                let body = try await Self.body(of: good)
                #expect(body.contains(part), "\(body)")
                for field in [
                    ("Origin", "https://evil.example"), ("Sec-Fetch-Site", "cross-site"),
                    ("X-Forwarded-For", "127.0.0.1"),
                    ("Forwarded", "for=127.0.0.1"), ("Via", "1.1 proxy"),
                ] {
                    #expect(try await Self.ask(served, path, field).status == .forbidden, "\(field)")
                }
            }
            #expect(try await Self.ask(served, "/api/refusals?limit=0").status == .badRequest)
            #expect(try await Self.ask(served, "/api/refusals?reasons=x").status == .badRequest)
        }
    }

    /// Sends a request with the operator's token to the admin listener.
    private static func ask(_ served: ServedFile, _ path: String, _ field: (String, String)? = nil) async throws
        -> HTTPClientResponse
    {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(served.adminPort)\(path)")
        request.headers.add(name: "Authorization", value: "Bearer \(DenialStand.operatorToken)")
        if let field { request.headers.add(name: field.0, value: field.1) }
        return try await HTTPClient.shared.execute(request, timeout: .seconds(20))
    }
}
