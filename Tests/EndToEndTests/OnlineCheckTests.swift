import Foundation
import JOSESigning
import NIOCore
import NIOHTTP1
import Synchronization
import TestSupport
import Testing

/// `bearward check --online`: checks of a file against its issuers and upstreams.
@Suite(.serialized) struct OnlineCheckTests {
    private struct Result {
        let status: Int32?
        let told: String
        let report: Report

        /// Findings at a key path, each with severity and message.
        func found(_ key: String) -> [String] {
            report.problems.filter { $0.key == key }.map {
                "\($0.severity): \($0.message)\($0.hint.map { "; \($0)" } ?? "")"
            }
        }
    }

    private struct Report: Decodable {
        struct Problem: Decodable {
            let severity: String
            let line: Int
            let key: String
            let message: String
            let hint: String?
        }

        let fine: Bool
        let problems: [Problem]
    }

    /// Checks a file in both output formats, which must agree.
    private static func check(_ text: String, in folder: TemporaryFolder) async throws -> Result {
        let file = try folder.write(text, to: "bearward.yaml")
        let told = try BearwardProcess(["check", "--online", "--config", file.path])
        let status = await told.exitStatus()
        let json = try BearwardProcess(["check", "--online", "--config", file.path, "--format", "json"])
        #expect(await json.exitStatus() == status)
        let report = try JSONDecoder().decode(Report.self, from: Data(json.standardOutput.utf8))
        #expect(report.fine == (status == 0))
        for problem in report.problems {
            #expect(told.standardError.contains(problem.message), "\(told.standardError)")
        }
        return Result(status: status, told: told.standardError, report: report)
    }

    private static func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write(SigningKey.jwkSetJSON([TestKeys.rsa]), to: "keys.json")
        try folder.write("s3cret\n", to: "secret")
        return folder
    }

    // MARK: Upstreams

    private static func text(upstreams: [(name: String, url: String, tls: String?)]) -> String {
        let resources = upstreams.map { name, url, tls in
            "  \(name): {at: /\(name), issuers: [iss], upstream: \"\(url)\"\(tls.map { ", upstream_tls: {\($0)}" } ?? ""), "
                + "rules: {ANY /**: authenticated}}"
        }
        return """
            listen: 127.0.0.1:0
            issuers: {iss: {issuer: "https://iss.example", jwks_file: ./keys.json, token_type: at+jwt}}
            timeouts: {connect: 5s}
            resources:
            \(resources.joined(separator: "\n"))

            """
    }

    @Test func `check --online connects to each upstream as the gateway would`() async throws {
        let folder = try Self.folder()
        defer { withExtendedLifetime(folder) {} }
        let plain = try await LoopbackServer.upstream()
        let edge = try await EdgeFixture.start(upstream: plain.url)
        // A certificate is valid for an address that it contains, whatever its names.
        try edge.authority.issue("edge", for: ["DNS:localhost"])
        #expect(await BearwardProcess.wait { edge.gateway.gateway.standardError.contains("Certificates replaced") })
        let anchor = "ca_file: \(edge.authority.anchor.path)"
        let free = try FreePort.find()
        let (secure, plainPort) = ("https://localhost:\(edge.port)", plain.url.split(separator: ":").last ?? "")
        let result = try await Self.check(
            Self.text(upstreams: [
                ("plain", plain.url, nil), ("secure", secure, anchor),
                ("one", secure, anchor + ", protocols: [http/1.1]"),
                ("refused", "http://127.0.0.1:\(free)", nil), ("nowhere", "http://nowhere.invalid:80", nil),
                ("system", secure, nil),
                ("name", secure, anchor + ", server_name: api.internal"),
                ("nottls", "https://127.0.0.1:\(plainPort)", anchor),
            ]), in: folder)
        #expect(result.status == 69)
        let expected = [
            ("plain", "note: 127.0.0.1:\(plainPort): connected"),
            ("secure", "note: localhost:\(edge.port): connected (TLS 1.3, HTTP/2)"),
            ("one", "note: localhost:\(edge.port): connected (TLS 1.3, HTTP/1.1)"),
            ("refused", "error: 127.0.0.1:\(free): connection refused"),
            ("nowhere", "error: nowhere.invalid:80: name not found"),
            (
                "system",
                "error: localhost:\(edge.port): the certificate is not trusted: it was not issued by a known authority, or a certificate of its chain is not valid"
            ),
            ("name", "error: localhost:\(edge.port): the certificate is for localhost; expected: api.internal"),
            ("nottls", "error: 127.0.0.1:\(plainPort): TLS failed: the peer did not answer with TLS"),
        ]
        for (name, words) in expected { #expect(result.found("resources.\(name).upstream") == [words]) }
        #expect(result.report.problems.map(\.line).sorted() == result.report.problems.map(\.line))
        await edge.stop()
        await plain.stop()
    }

    @Test func `check --online finds an upstream that refuses the client certificate or does not speak HTTP/2`()
        async throws
    {
        let folder = try Self.folder()
        defer { withExtendedLifetime(folder) {} }
        let plain = try await LoopbackServer.upstream()
        let listener =
            "protocols: [http/1.1], "
            + "tls: {certificate: @certificate, key: @key, client_ca: @anchor, client_certificate: required}"
        let edge = try await EdgeFixture.start(listener: listener, upstream: plain.url)
        let client = try edge.authority.issue("client")
        let secure = "https://localhost:\(edge.port)"
        let anchor = "ca_file: \(edge.authority.anchor.path)"
        let shown = anchor + ", certificate: \(client.certificate.path), key: \(client.key.path)"
        let result = try await Self.check(
            Self.text(upstreams: [
                ("without", secure, anchor), ("with", secure, shown), ("http2", secure, shown + ", protocols: [h2]"),
            ]), in: folder)
        #expect(result.status == 69)
        #expect(
            result.found("resources.without.upstream")
                == ["error: localhost:\(edge.port): TLS failed: tlsv1 alert certificate required"])
        #expect(
            result.found("resources.with.upstream") == ["note: localhost:\(edge.port): connected (TLS 1.3, HTTP/1.1)"])
        #expect(
            result.found("resources.http2.upstream").first?.hasPrefix("error: localhost:\(edge.port): TLS failed: ")
                == true
        )
        await edge.stop()
        await plain.stop()
    }

    // MARK: Issuers

    /// An issuer with metadata from the test, and an introspection endpoint that knows the token `good`.
    final class Issuer: Sendable {
        private struct State {
            var members = ""
            var keys = SigningKey.jwkSetJSON([TestKeys.rsa])
            var introspection = LoopbackReply(body: ByteBuffer(string: #"{"active":false}"#))
        }

        private let state = Mutex(State())
        private let pending = Mutex<LoopbackServer?>(nil)

        var url: String { pending.withLock { $0?.url ?? "" } }

        func count(of path: String) -> Int { pending.withLock { $0?.count(of: path) ?? 0 } }

        static func start() async throws -> Issuer {
            let issuer = Issuer()
            let server = try await LoopbackServer.start { request in issuer.answer(request) }
            issuer.pending.withLock { $0 = server }
            return issuer
        }

        /// Sets further members of the metadata, each preceded by a comma; `@` is replaced by the issuer.
        func say(_ members: String) { state.withLock { $0.members = members.replacing("@", with: url) } }

        func publish(_ keys: String) { state.withLock { $0.keys = keys } }

        func introspect(_ reply: LoopbackReply) { state.withLock { $0.introspection = reply } }

        private func answer(_ request: LoopbackRequest) -> LoopbackReply {
            let (members, keys, introspection) = state.withLock { ($0.members, $0.keys, $0.introspection) }
            switch request.path {
            case "/.well-known/openid-configuration":
                return LoopbackReply(
                    body: ByteBuffer(string: #"{"issuer":"\#(url)","jwks_uri":"\#(url)/jwks"\#(members)}"#))
            case "/jwks":
                return LoopbackReply(body: ByteBuffer(string: keys))
            case "/ask" where String(buffer: request.body).hasPrefix("token=good"):
                return LoopbackReply(
                    body: ByteBuffer(
                        string:
                            #"{"active":true,"client_id":"app","sub":"u","scope":"orders:read","token_type":"Bearer"}"#)
                )
            case "/ask": return introspection
            default: return LoopbackReply(status: .notFound)
            }
        }

        func stop() async {
            await pending.withLock { $0.take() }?.stop()
        }
    }

    private static func text(_ issuer: Issuer, upstream: String, opaque: String? = "") -> String {
        let introspect =
            opaque.map { "{introspect: {client_id: gateway, client_secret_file: ./secret, clients: [app]\($0)}}" }
            ?? "reject"
        return """
            listen: 127.0.0.1:0
            admin: 127.0.0.1:0
            issuers:
              iss:
                issuer: "\(issuer.url)"
                token_type: at+jwt
                opaque: \(introspect)
            resources:
              api: {at: /api, issuers: [iss], upstream: "\(upstream)", rules: {GET /**: "orders:read", POST /**: "orders:wirte"}}

            """
    }

    @Test func `check --online names each unusable key with the cause, even if no usable key is left`() async throws {
        let folder = try Self.folder()
        let (issuer, upstream) = (try await Issuer.start(), try await LoopbackServer.upstream())
        let text = Self.text(issuer, upstream: upstream.url, opaque: nil)
        let others =
            #"{"kty":"RSA","kid":"c","x5c":["MIIC"]},{"kty":"RSA","use":"enc","kid":"e","n":"AQAB","e":"AQAB"}"#

        issuer.publish(#"{"keys":[\#(others),\#(TestKeys.rsa.publicJWK)]}"#)
        let some = try await Self.check(text, in: folder)
        #expect(some.status == 0, "\(some.told)")
        #expect(
            some.found("issuers.iss") == [
                "note: 1 usable key, 2 not usable",
                "warning: key 0 `c`: it has a certificate (`x5c`) in place of the key itself, and certificates are not read",
                "note: key 1 `e`: its `use` is not `sig`",
            ])

        issuer.publish(#"{"keys":[\#(others)]}"#)
        let none = try await Self.check(text, in: folder)
        #expect(none.status == 69)
        #expect(
            none.found("issuers.iss") == [
                "error: \(issuer.url)/jwks has no usable key: key 0 `c`: it has a certificate (`x5c`) in place of the key itself, and "
                    + "certificates are not read; key 1 `e`: its `use` is not `sig`"
            ])
        await issuer.stop()
        await upstream.stop()
    }

    @Test func `check --online discovers the introspection endpoint and tries the file's credentials`() async throws {
        let folder = try Self.folder()
        defer { withExtendedLifetime(folder) {} }
        let (issuer, upstream) = (try await Issuer.start(), try await LoopbackServer.upstream())
        let section = "issuers.iss.opaque.introspect"
        let text = Self.text(issuer, upstream: upstream.url)

        issuer.say(#","introspection_endpoint":"@/ask""#)
        let fine = try await Self.check(text, in: folder)
        #expect(fine.status == 0, "\(fine.told)")
        #expect(fine.found("issuers.iss") == ["note: 1 usable key"])
        #expect(fine.found(section) == ["note: \(issuer.url)/ask answers and accepts the credentials"])

        issuer.introspect(LoopbackReply(status: .unauthorized))
        let refused = try await Self.check(text, in: folder)
        #expect(refused.status == 69)
        #expect(
            refused.found(section + ".client_id")
                == [
                    "error: \(issuer.url)/ask answered 401: the issuer refused our client credentials; check client_id and client_secret_file; "
                        + "`client_secret_file` is at line 7, column 67"
                ])

        issuer.introspect(LoopbackReply(body: ByteBuffer(string: #"{"active":true}"#)))
        let gullible = try await Self.check(text, in: folder)
        #expect(gullible.status == 69)
        #expect(
            gullible.found(section).first?.contains("reports a made-up token as active") == true,
            "\(gullible.told)")

        issuer.introspect(LoopbackReply(body: ByteBuffer(string: "{}")))
        #expect(try await Self.check(text, in: folder).found(section).first?.contains("without `active`") == true)

        issuer.say("")
        let unnamed = try await Self.check(text, in: folder)
        #expect(unnamed.status == 69)
        #expect(
            unnamed.found(section).first?.contains("has no introspection_endpoint; write the issuer's endpoint")
                == true, "\(unnamed.told)")
        await issuer.stop()
        await upstream.stop()
    }

    @Test func `the gateway discovers the introspection endpoint when a token needs it`() async throws {
        let (issuer, upstream) = (try await Issuer.start(), try await LoopbackServer.upstream())
        let folder = try Self.folder()
        defer { withExtendedLifetime(folder) {} }
        let secret = folder.path("secret")
        let served = try await ServedFile.start(
            Self.text(issuer, upstream: upstream.url).replacing("./secret", with: secret))
        #expect(try await served.ask("/api/x", token: "good-1").status == 503)
        #expect(await BearwardProcess.wait { served.gateway.standardError.contains("has no introspection_endpoint") })
        let before = try await served.administration("/readyz").body
        #expect(
            before.contains(#""introspection":{"breaker""#) && before.contains("has no introspection_endpoint"),
            "\(before)")

        issuer.say(#","introspection_endpoint":"@/ask""#)
        #expect(await BearwardProcess.wait { (try? await served.ask("/api/x", token: "good-1").status) == 200 })
        #expect(try await served.ask("/api/x", token: "other").status == 401)
        let after = try await served.administration("/readyz").body
        #expect(
            after.contains(#""introspection":{"endpoint":"\#(issuer.url.replacing("/", with: "\\/"))\/ask""#)
                || after.contains("\(issuer.url)/ask"))
        #expect(issuer.count(of: "/ask") == 2)
        await served.stop()
        await issuer.stop()
        await upstream.stop()
    }

    @Test func `check --online reports a scope that the issuer does not list, if it lists API scopes`() async throws {
        let folder = try Self.folder()
        defer { withExtendedLifetime(folder) {} }
        let (issuer, upstream) = (try await Issuer.start(), try await LoopbackServer.upstream())
        let text = Self.text(issuer, upstream: upstream.url, opaque: nil)
        let rule = "resources.api.rules[\"POST /**\"]"
        issuer.say(#","scopes_supported":["openid","orders:read","orders:write"]"#)
        let found = try await Self.check(text, in: folder)
        #expect(found.status == 0)
        #expect(
            found.found(rule) == [
                "note: `orders:wirte` is not among the scopes that the issuer lists; did you mean `orders:write`?"
            ])
        issuer.say(#","scopes_supported":["openid","profile","email","offline_access"]"#)
        #expect(try await Self.check(text, in: folder).found(rule) == [])
        await issuer.stop()
        await upstream.stop()
    }
}
