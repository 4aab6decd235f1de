import Foundation
import TestSupport
import Testing

/// Effects of untrusted clients on introspection, and its metrics and readiness, over real sockets.
@Suite(.serialized) final class IntrospectionPressureTests {
    @Test func `tokens refused by a firewall before the issuer do not stop good tokens from being answered`()
        async throws
    {
        let lab = try await IntrospectionLab.start()
        for index in 0..<5 {
            // A token of 9,000 bytes is not introspected.
            #expect(try await lab.status("big\(index)" + String(repeating: "x", count: 8996), of: .bad) == 401)
        }
        #expect(lab.questions == [])
        #expect(await lab.served.logHas(lines: 5))
        #expect(lab.served.logged("opaque_not_supported") == 5)
        #expect(lab.served.gateway.standardOutput.contains("longer than 4 KiB"))
        // Shorter tokens are introspected, and the firewall's 403 does not open the circuit breaker.
        for index in 0..<10 { #expect(try await lab.status("refused\(index)", of: .bad) == 503) }
        for index in 0..<24 { #expect(try await lab.status("good\(index)") == 200) }
        #expect(try await lab.introspection()["breaker"] as? String == "closed")
        await lab.stop()
    }

    @Test func `slow tokens from one address do not delay good tokens from another`() async throws {
        let lab = try await IntrospectionLab.start()
        let slow = (0..<70).map { index in Task { try await lab.status("slow\(index)", of: .bad) } }
        // Half of the 64 questions that may be in flight.
        #expect(await BearwardProcess.wait { lab.questions.count == 32 })
        #expect(await BearwardProcess.wait { (try? await lab.introspection()["waiting"] as? Int) == 70 })
        for index in 0..<24 { #expect(try await lab.status("good\(index)") == 200) }
        lab.letSlowQuestionsEnd()
        // Each request ends with its answer, or with 503 after five seconds.
        for task in slow { #expect([401, 503].contains(try await task.value)) }
        await lab.stop()
    }

    @Test func `one address gets half of the waiting slots, and the others stay free for other clients`() async throws {
        let lab = try await IntrospectionLab.start(limits: "waiting_for_keys: 4")
        let slow = (0..<2).map { index in Task { try await lab.status("slow\(index)", of: .bad) } }
        #expect(await BearwardProcess.wait { lab.questions.count == 2 })
        #expect(try await lab.status("slow2", of: .bad) == 503)
        #expect(try await lab.status("good") == 200)
        lab.letSlowQuestionsEnd()
        for task in slow { #expect([401, 503].contains(try await task.value)) }
        // The slots are free again.
        for index in 3..<9 { #expect(try await lab.status("slow\(index)", of: .bad) == 401) }
        #expect(!lab.questions.contains("slow2"))
        await lab.stop()
    }

    @Test func `inactive tokens over the limit are 429 for their address only, and its good tokens still pass`()
        async throws
    {
        let lab = try await IntrospectionLab.start(limits: "failed_verifications_per_address: 3")
        #expect(try await lab.status("good", of: .bad) == 200)
        // A new second may begin in between, so the limit is hit within two of them.
        var statuses: [Int] = []
        while statuses.count < 8, statuses.last != 429 {
            statuses.append(try await lab.status("made-up\(statuses.count)", of: .bad))
        }
        #expect(statuses.last == 429)
        #expect(statuses.dropLast().count >= 3 && statuses.dropLast().allSatisfy { $0 == 401 })
        #expect(try await lab.status("good", of: .bad) == 200)
        #expect(try await lab.status("good-too") == 200)
        #expect(lab.questions.count { $0.hasPrefix("made-up") } == statuses.count - 1)
        // The proxy is trusted, so there is no hint.
        #expect(!lab.served.gateway.standardError.contains("X-Forwarded-For"))
        let metrics = try await lab.served.administration("/metrics").body
        #expect(metrics.contains(#"bearward_limit_hits_total{limit="failed_verifications_per_address"} 1"#))
        await lab.stop()
    }

    @Test func `a load balancer missing from trusted_proxies is hinted at once`() async throws {
        let lab = try await IntrospectionLab.start(limits: "failed_verifications_per_address: 1", trustsProxy: false)
        var limited = 0
        for index in 0..<50 where limited < 3 {
            // Without a trusted proxy all requests come from one address.
            if try await lab.status("made-up\(index)", of: index.isMultiple(of: 2) ? .good : .bad) == 429 {
                limited += 1
            }
        }
        #expect(limited == 3)
        let hint = "is not in trusted_proxies hit failed_verifications_per_address"
        #expect(await BearwardProcess.wait { lab.served.gateway.standardError.contains(hint) })
        #expect(lab.served.gateway.standardError.components(separatedBy: hint).count == 2)
        #expect(lab.served.gateway.standardError.contains(#""address":"127.0.0.1""#))
        await lab.stop()
    }

    @Test func `a refresh token grants nothing, and the log says why`() async throws {
        let lab = try await IntrospectionLab.start()
        #expect(try await lab.status("refresh") == 401)
        #expect(await lab.served.logHas(lines: 1))
        #expect(lab.served.lastReason == "not_access_token")
        #expect(lab.served.gateway.standardOutput.contains("as answers about refresh tokens do"))
        await lab.stop()
    }

    @Test func `a token with dots is introspected and cached, and logged without another token's identity`()
        async throws
    {
        let lab = try await IntrospectionLab.start()
        let connection = try RawConnection(port: lab.served.port)
        let signed = lab.tokens.goodText
        // The signed token is cached, and then used on the same connection as the opaque one.
        for (index, token) in [signed, "ory_at_good.x", signed, "ory_at_good.x"].enumerated() {
            connection.send(Array("GET /api/x HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n\r\n".utf8))
            connection.receive { _ in connection.statuses.count == index + 1 }
        }
        #expect(connection.statuses == [200, 200, 200, 200])
        #expect(await lab.served.logHas(lines: 4))
        let lines = lab.served.gateway.standardOutput.split(separator: "\n").map(String.init)
        let members = lines.map { line in
            ["subject", "cache"].map { name in
                line.components(separatedBy: "\"\(name)\":\"").dropFirst().first?.prefix { $0 != "\"" } ?? ""
            }
        }
        let (first, later) = TestedTokenCache.isOn ? ("miss", "hit") : ("off", "off")
        let expected: [[Substring]] = [
            ["user-1", Substring(first)], ["opaque-user", "miss"], ["user-1", Substring(later)],
            ["opaque-user", "hit"],
        ]
        #expect(members == expected)
        #expect(lab.questions == ["ory_at_good.x"])
        await lab.stop()
    }

    @Test func `readiness and metrics report the state of introspection`() async throws {
        let lab = try await IntrospectionLab.start()
        for token in ["good", "good", "refused"] { _ = try await lab.status(token) }
        let state = try await lab.introspection()
        #expect(state["breaker"] as? String == "closed")
        #expect(state["answered"] as? Int == 1)
        #expect(state["failed"] as? Int == 1)
        #expect(state["cache_entries"] as? Int == 1)
        #expect(state["cache_hits"] as? Int == 1)
        #expect(state["cache_misses"] as? Int == 2)
        #expect((state["last_error"] as? String)?.contains("answered 403") == true)
        #expect(state["answered_at"] is String)
        let metrics = try await lab.served.administration("/metrics").body
        for line in [
            #"bearward_introspection_requests_total{issuer="iss",result="answered"} 1"#,
            #"bearward_introspection_requests_total{issuer="iss",result="failed"} 1"#,
            #"bearward_introspection_breaker_open{issuer="iss"} 0"#,
            #"bearward_introspection_cache_entries{issuer="iss"} 1"#,
            #"bearward_introspection_cache_hits_total{issuer="iss"} 1"#,
            #"bearward_introspection_cache_misses_total{issuer="iss"} 2"#,
            #"bearward_introspection_requests_in_flight{issuer="iss"} 0"#,
            #"bearward_introspection_waiting{issuer="iss"} 0"#,
            #"bearward_introspection_turned_away_total{issuer="iss"} 0"#,
        ] {
            #expect(metrics.contains("\n" + line + "\n"), "\(line)")
        }
        #expect(try await lab.served.administration("/readyz").status == 200)
        await lab.stop()
    }
}
