import DevelopmentIssuer
import Foundation
import TestSupport
import Testing

/// CORS in a real browser: a page of another origin uses the gateway and reads its answers.
@Suite(.serialized) struct CrossOriginEndToEndTests {
    /// The parts of an answer that the page could read.
    private struct Answer: Decodable {
        let status: Int?
        let challenge: String?
        let retryAfter: String?
        let requestID: String?
        let total: String?
        let secret: String?
        let text: String?
        /// Error if the page could read nothing of the answer.
        let error: String?
    }

    private struct Sight: Decodable {
        let none, good, expired, scope, field, foreignField, noRule, noRuleWithToken, methodWithoutRule, missing, large,
            posted: Answer
        let dead, slow, keyless, limited: Answer
        /// Origin of the page, followed by statuses or errors.
        let foreignPage, sandbox: [Seen]
        let error: String?
    }

    private enum Seen: Decodable, Equatable {
        case status(Int)
        case text(String)

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            self =
                if let status = try? value.decode(Int.self) { .status(status) } else {
                    .text(try value.decode(String.self))
                }
        }
    }

    /// A configuration with two resources. The issuer of one has no keys.
    private static func text(
        issuer: String, page: String, upstream: String, deadPort: Int, identity: CertificateAuthority.Identity,
        version: String
    ) -> String {
        """
        listen: {address: 127.0.0.1:0, tls: {certificate: \(identity.certificate.path), key: \(identity.key.path)}, protocols: [\(version)]}
        admin: 127.0.0.1:0
        timeouts: {drain: 1s, first_byte: 500ms}
        limits: {body: 1KiB, failed_verifications_per_address: 5}
        issuers:
          dev: {issuer: "\(issuer)", algorithms: [RS256], token_type: at+jwt}
          keyless: {issuer: "https://127.0.0.1:\(deadPort)", jwks_uri: "https://127.0.0.1:\(deadPort)/keys", token_type: at+jwt}
        resources:
          \(EdgeFixture.audience):
            at: [/api]
            issuers: [dev]
            upstream: {/: "\(upstream)", /dead: "http://127.0.0.1:\(deadPort)"}
            strip_prefix: true
            cors: {origins: ["\(page)"], headers: [X-Trace], expose: [X-Total-Count]}
            rules:
              GET /orders/**: shopping:read
              POST /orders: shopping:write
              DELETE /orders/{id}: shopping:write
              GET /dead: authenticated
              GET /slow: authenticated
          https://other.example/api:
            at: [/other]
            issuers: [keyless]
            upstream: \(upstream)
            cors: {origins: "\(page)"}
            rules: {GET /**: authenticated}

        """
    }

    @Test(.enabled(if: Interop.browser != nil && Interop.pythonWithJoserfc != nil), arguments: ["h2", "http/1.1"])
    func `a page of an allowed origin can read status, body and challenge of every refusal`(version: String)
        async throws
    {
        let python = try #require(Interop.pythonWithJoserfc)
        let browser = try #require(Interop.browser)
        let (server, port) = try await Interop.serve("cross_origin.py", with: python)
        defer { server.signal(SIGKILL) }
        let issuer = try await AuthorizationServer.start(on: .anyLoopback, algorithm: .rs256)
        let authority = try CertificateAuthority()
        // The authority's files are deleted with it.
        defer { withExtendedLifetime(authority) {} }
        let identity = try authority.issue("edge")
        let page = "http://localhost:\(port)"
        let deadPort = try FreePort.find()
        let gateway = try await ServedFile.start(
            Self.text(
                issuer: issuer.issuer, page: page, upstream: "http://127.0.0.1:\(port)", deadPort: deadPort,
                identity: identity,
                version: version))
        let settings = try Self.settings(issuer, gateway: gateway, deadPort: deadPort)
        let opened = try BearwardProcess(
            program: python,
            [Interop.script("cross_origin.py"), identity.certificate.path, browser.path, port, settings])
        let hasReported = await BearwardProcess.wait(atMost: .seconds(90)) {
            server.standardOutput.contains(/report .*\n/)
        }
        opened.signal(SIGTERM)
        _ = await opened.exitStatus()
        #expect(hasReported, "\(server.standardOutput) \(server.standardError) \(opened.standardError)")
        let report = try #require(server.standardOutput.firstMatch(of: /report (.*)\n/)).output.1
        let sight = try JSONDecoder().decode(Sight.self, from: Data(report.utf8))
        #expect(sight.error == nil)
        Self.expectRefusals(sight)
        Self.expectAnswers(sight, page: page)
        #expect(!server.standardOutput.contains("upstream OPTIONS"), "a preflight is answered by the gateway")
        #expect(gateway.logged("preflight") > 0 && gateway.logged("preflight_refused") > 0)
        let versions = Set(
            gateway.gateway.standardOutput.matches(of: /"protocol":"([^"]*)"/).map { String($0.output.1) })
        #expect(versions == [version])
        await gateway.stop()
        await issuer.stop()
    }

    private static func settings(_ issuer: AuthorizationServer, gateway: ServedFile, deadPort: Int) throws -> String {
        func token(_ scope: String, lifetime: Duration = .seconds(600)) throws -> String {
            try issuer.mint(
                TokenRequest(
                    client: "app-1", subject: "user-1", audiences: [EdgeFixture.audience], scopes: [scope],
                    lifetime: lifetime))
        }
        let good = try token("shopping:read")
        let tokens = [
            "good": good, "write": try token("shopping:write"),
            "expired": try token("shopping:read", lifetime: .seconds(-3600)),
            // The page appends a number, so that each request has a different token with a bad signature.
            "forged": String(good.dropLast(8)) + "AAAA",
            "keyless": TestToken.good.with("iss", "\"https://127.0.0.1:\(deadPort)\"").signed(by: TestKeys.rsa),
        ]
        let base = "https://localhost:\(gateway.port)"
        let settings: [String: Any] = ["api": base + "/api", "other": base + "/other", "tokens": tokens]
        return String(decoding: try JSONSerialization.data(withJSONObject: settings), as: UTF8.self)
    }

    private static func expectRefusals(_ sight: Sight) {
        let refusals: [(String, Answer, Int)] = [
            ("none", sight.none, 401), ("expired", sight.expired, 401), ("scope", sight.scope, 403),
            ("no rule", sight.noRule, 403),
            ("large", sight.large, 413), ("limited", sight.limited, 429), ("dead", sight.dead, 502),
            ("keyless", sight.keyless, 503),
            ("slow", sight.slow, 504),
        ]
        for (name, answer, status) in refusals {
            #expect(answer.status == status, "\(name): \(answer)")
            #expect(answer.text?.contains("\"status\":\(status)") == true, "\(name): \(answer)")
            #expect(answer.requestID?.count == 32, "\(name): \(answer)")
            #expect(
                (answer.challenge != nil) == [401, 403].contains(status) && name != "no rule" || name == "no rule",
                "\(name): \(answer)")
        }
        #expect(sight.none.challenge?.hasPrefix("Bearer realm=") == true)
        #expect(sight.expired.challenge?.contains(#"error="invalid_token""#) == true)
        #expect(sight.scope.challenge?.contains(#"error="insufficient_scope""#) == true)
        #expect(sight.keyless.retryAfter != nil && sight.limited.retryAfter == "1")
    }

    private static func expectAnswers(_ sight: Sight, page: String) {
        for (answer, status, text) in [
            (sight.good, 200, "GET /orders/7 0"), (sight.field, 200, "GET /orders/7 0"),
            (sight.posted, 200, "POST /orders 2"),
            (sight.missing, 404, "GET /orders/missing 0"),
        ] {
            #expect(
                answer.status == status && answer.text == text && answer.total == "7" && answer.secret == nil,
                "\(answer)")
        }
        for answer in [sight.foreignField, sight.noRuleWithToken, sight.methodWithoutRule] {
            #expect(answer.error == "TypeError", "the preflight forbids it: \(answer)")
        }
        let blocked = [Seen.text("TypeError"), .text("TypeError")]
        #expect(sight.foreignPage == [.text(page.replacing("localhost", with: "127.0.0.1"))] + blocked)
        #expect(sight.sandbox == [.text("null")] + blocked)
    }
}
