import Foundation
import JOSESigning
import TestSupport
import Testing

/// Limits by address at a door, where only the proxy knows the client's address.
@Suite(.serialized, .timeLimit(.minutes(2))) struct DoorLimitTests {
    private struct Lab {
        let served: ServedFile
        let door: Int
        let tokens = ThreatTokens()
        private let folder: TemporaryFolder

        static func start() async throws -> Lab {
            let folder = try TemporaryFolder()
            let keys = try folder.write(SigningKey.jwkSetJSON([TestKeys.rsa, TestKeys.ec]), to: "iss.json")
            let door = try FreePort.find()
            return Lab(served: try await ServedFile.start(text(door, keys: keys.path)), door: door, folder: folder)
        }

        private static func text(_ door: Int, keys: String) -> String {
            """
            listen: 127.0.0.1:0
            admin: 127.0.0.1:0
            event_loops: 1
            trusted_proxies: [10.0.0.0/8]
            doors: {kind: nginx, address: "127.0.0.1:\(door)", from: [127.0.0.1/32]}
            limits: {failed_verifications_per_address: 1}
            issuers:
              iss: {issuer: "https://iss.example", jwks_file: "\(keys)", algorithms: [RS256, ES256], token_type: at+jwt}
            quotas:
              per-address: {requests: 1, per: 1h, by: address}
              per-user: {requests: 1000, per: 1h}
            resources:
              lab:
                at: [lab.example]
                audiences: [api]
                issuers: [iss]
                rules: {GET /counted: {public: true, quotas: per-address}, GET /orders: {all_of: [read], quotas: per-user}}

            """
        }

        /// The status for the client of one request.
        ///
        /// - Parameter stated: the whole value of `X-Forwarded-For`. Nil to send no such field.
        func status(_ path: String, from stated: String?, token: String? = nil) throws -> Int? {
            let connection = try RawConnection(port: door)
            let fields = [stated.map { "X-Forwarded-For: \($0)" }, token.map { "Authorization: Bearer \($0)" }]
                .compactMap(\.self)
            let question = [
                "GET / HTTP/1.1", "Host: door", "Connection: close", "X-Original-Method: GET",
                "X-Original-URI: \(path)",
                "X-Original-Host: lab.example", "X-Original-Proto: https",
            ]
            connection.send(Array((question + fields + ["", ""]).joined(separator: "\r\n").utf8))
            connection.receive { _ in false }
            return connection.text.firstMatch(of: /x-bearward-status: ([0-9]+)/).flatMap { Int($0.1) }
                ?? connection.statuses.first
        }

        /// Number of warnings that the proxy states no address.
        var warnings: Int { served.gateway.count(of: Self.missing) }
        private static let missing =
            "A proxy at a door states no client address in X-Forwarded-For; no limit by address applies there"

        func stop() async { await served.stop() }
    }

    @Test func `a quota by address counts the last address that is not a trusted proxy`() async throws {
        let lab = try await Lab.start()
        let trials: [(stated: String, status: Int)] = [
            ("198.51.100.1", 200), ("198.51.100.1", 429), ("198.51.100.2", 200),
            // Values written by the client are further to the left.
            ("203.0.113.9, 198.51.100.1", 429), ("203.0.113.9, 198.51.100.3", 200), ("203.0.113.9", 200),
            // Behind another trusted proxy, the client is the address that this proxy states.
            ("198.51.100.4, 10.0.0.7", 200), ("198.51.100.4", 429), ("198.51.100.4, 10.0.0.8, 10.0.0.7", 429),
        ]
        for (stated, status) in trials { #expect(try lab.status("/counted", from: stated) == status, "\(stated)") }
        #expect(lab.warnings == 0)
        await lab.stop()
    }

    @Test(arguments: [nil, "unix:", "198.51.100.1, unknown"])
    func `without a client address no limit by address applies, and one warning is logged`(_ stated: String?)
        async throws
    {
        let lab = try await Lab.start()
        for _ in 0..<5 { #expect(try lab.status("/counted", from: stated) == 200) }
        let bad = lab.tokens.withSignature { $0.reversed() }
        for _ in 0..<20 { #expect(try lab.status("/orders", from: stated, token: bad) == 401) }
        #expect(lab.warnings == 1)
        await lab.stop()
    }

    @Test func `failed verifications are limited by the address that the proxy states`() async throws {
        let lab = try await Lab.start()
        let bad = lab.tokens.withSignature { $0.reversed() }
        let statuses = try (0..<20).map { _ in try lab.status("/orders", from: "198.51.100.1", token: bad) }
        // One request fails per second, so twenty requests do not take long.
        #expect(Set(statuses) == [401, 429], "\(statuses)")
        #expect(try lab.status("/orders", from: "198.51.100.2", token: bad) == 401)
        // A good token that is not cached waits for the next second if its address has used up the limit.
        #expect(try lab.status("/orders", from: "198.51.100.3", token: lab.tokens.goodText) == 200)
        await lab.stop()
    }

    @Test func `the limits by address at a door are logged at the start`() async throws {
        let lab = try await Lab.start()
        let errors = lab.served.gateway.standardError
        let told = errors.split(separator: "\n").filter { $0.contains("only if the proxy states `X-Forwarded-For`") }
        #expect(told.count == 2, "\(errors)")
        #expect(
            told.contains { $0.contains("quotas.per-address") }
                && told.contains { $0.contains("failed_verifications_per_address") })
        await lab.stop()
    }
}
