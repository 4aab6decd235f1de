import Foundation
import JOSE
import JOSESigning
import NIOCore
import NIOHTTP1
import Synchronization
import TestSupport
import Testing

/// Issuers by pattern, through the real command and a server with realms.
@Suite(.serialized) struct RealmEndToEndTests {
    /// A server with realms, each with a key of its own.
    private final class RealmServer: Sendable {
        private let keys = Mutex<[String: SigningKey]>([:])
        private let isDown = Mutex(false)
        private let server = Mutex<LoopbackServer?>(nil)

        func start() async throws {
            let started = try await LoopbackServer.start { [self] request in answer(request.path) }
            server.withLock { $0 = started }
        }

        var url: String { server.withLock { $0?.url ?? "" } }
        func stop() async { await server.withLock(\.self)?.stop() }
        func fetches(of realm: String) -> Int {
            server.withLock { $0?.count(of: "/realms/\(realm)/.well-known/openid-configuration") ?? 0 }
        }

        func open(_ realm: String) throws {
            let key = try SigningKey.generate(.es256, keyID: realm)
            keys.withLock { $0[realm] = key }
        }

        func setDown(_ down: Bool) { isDown.withLock { $0 = down } }

        /// A token of a realm, signed with the key of another one if that is given.
        func token(of realm: String, by other: String? = nil) throws -> String {
            let key = try #require(keys.withLock { $0[other ?? realm] })
            let now = Int(Date().timeIntervalSince1970)
            return TestToken.good.with("iss", "\"\(url)/realms/\(realm)\"").with("iat", "\(now)")
                .with("exp", "\(now + 600)").signed(by: key)
        }

        private func answer(_ path: String) -> LoopbackReply {
            guard !isDown.withLock(\.self) else { return LoopbackReply(status: .serviceUnavailable) }
            let parts = path.split(separator: "/").map(String.init)
            guard parts.count > 2, parts[0] == "realms", let key = keys.withLock({ $0[parts[1]] }) else {
                return LoopbackReply(status: .notFound)
            }
            let issuer = "\(url)/realms/\(parts[1])"
            let body =
                parts[2] == "keys"
                ? SigningKey.jwkSetJSON([key]) : #"{"issuer":"\#(issuer)","jwks_uri":"\#(issuer)/keys"}"#
            return LoopbackReply(body: ByteBuffer(string: body))
        }
    }

    private static func file(_ issuer: String, realms: String, upstream: String, state: String) -> String {
        """
        listen: 127.0.0.1:0
        admin: 127.0.0.1:0
        state_directory: \(state)
        issuers:
          customers: {issuer: "\(issuer)/realms/{realm}", token_type: at+jwt, \(realms)}
        resources:
          api:
            at: [/]
            audiences: [api]
            issuers: [customers]
            upstream: \(upstream)
            rules: {GET /**: read}
            forward: {identity: {tenant: X-Tenant, issuer: X-Issuer}}

        """
    }

    @Test func `each realm is an issuer of its own, from its first token to a restart without its server`() async throws
    {
        let realms = RealmServer()
        try await realms.start()
        for realm in ["cust-a", "cust-b", "other"] { try realms.open(realm) }
        let upstream = try await LoopbackServer.start { request in
            let seen = ["X-Tenant", "X-Issuer"].map { request.fields.first(name: $0) ?? "" }
            return LoopbackReply(body: ByteBuffer(string: seen.joined(separator: " ")))
        }
        let folder = try TemporaryFolder()
        let state = folder.path("state")
        func file(_ keys: String) -> String {
            Self.file(realms.url, realms: keys, upstream: upstream.url, state: state)
        }
        let all = file(#"realms: {glob: "cust-*"}"#)
        let served = try await ServedFile.start(all)
        func ask(_ token: String, of gateway: ServedFile? = nil) async throws -> (status: Int, body: String) {
            let answer = try await (gateway ?? served).ask("/x", token: token)
            return (answer.status, answer.body)
        }
        for _ in 0..<2 {
            for realm in ["cust-a", "cust-b"] {
                let answer = try await ask(try realms.token(of: realm))
                #expect(answer.status == 200)
                #expect(answer.body == "\(realm) \(realms.url)/realms/\(realm)")
            }
        }
        #expect(realms.fetches(of: "cust-a") == 1)
        // A key of another realm, a realm that the pattern does not accept, and one that the server does not have.
        #expect(try await ask(try realms.token(of: "cust-a", by: "cust-b")).status == 401)
        #expect(try await ask(try realms.token(of: "other")).status == 401)
        #expect(try await ask(try realms.token(of: "cust-x", by: "cust-a")).status == 401)
        #expect(realms.fetches(of: "other") == 0)
        #expect(realms.fetches(of: "cust-x") == 1)
        let metrics = try await served.administration("/metrics").body
        #expect(metrics.contains(#"bearward_realms{issuer="customers"} 2"#))
        #expect(metrics.contains(#"bearward_weakening_settings{key="realms"} 1"#))
        // A reload to a list keeps what it names; the other realm is another issuer then.
        let known = try realms.token(of: "cust-b")
        #expect(try await ask(known).status == 200)
        try await served.reload(file("realms: [cust-a]"))
        #expect(try await ask(try realms.token(of: "cust-a")).status == 200)
        #expect(try await ask(known).status == 401)
        try await served.reload(all)
        #expect(try await ask(known).status == 200)
        await served.stop()
        // After a restart the saved realms have their places, though the server is down.
        realms.setDown(true)
        let again = try await ServedFile.start(all)
        #expect(try await ask(known, of: again).status == 200)
        #expect(try await ask(try realms.token(of: "cust-y", by: "cust-a"), of: again).status == 503)
        await again.stop()
        await upstream.stop()
        await realms.stop()
    }
}
