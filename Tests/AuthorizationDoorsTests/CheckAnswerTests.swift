import HTTPMessages
import RequestAuthorization
import SwiftProtobuf
import Testing

@testable import AuthorizationDoors

/// Answers as Envoy's gRPC messages.
struct CheckAnswerTests {
    private static func decoded(_ answer: CheckAnswer) throws -> EnvoyCheckResponse {
        var message = CheckMessage(limits: HeadLimits())
        let fits = message.append(answer.bytes)
        #expect(fits)
        return try EnvoyCheckResponse(serializedBytes: try #require(message.content))
    }

    private static func edits(_ edits: [EnvoyHeaderEdit]) -> [String] {
        edits.map { "\($0.header.key): \($0.header.value)\($0.appendAction == .overwrite ? "" : " (more)")" }
    }

    @Test func `a denied check has status, headers and body, and never the OK status code`() throws {
        var head = FieldWriter()
        head.reset()
        head.statusLine(401)
        head.field("date", "Sat, 21 Nov 2026 12:00:00 GMT")
        head.field("www-authenticate", "Bearer")
        head.field("www-authenticate", "DPoP")
        head.field("retry-after", 7)
        head.field("content-length", 2)
        head.finish()
        let response = try Self.decoded(CheckAnswer(head, status: 401, Array("{}".utf8)))
        #expect(response.status.code == 7)
        #expect(response.deniedResponse.status.code == 401)
        #expect(
            Self.edits(response.deniedResponse.headers) == [
                "www-authenticate: Bearer", "www-authenticate: DPoP (more)", "retry-after: 7",
            ])
        #expect(Array(response.deniedResponse.body) == Array("{}".utf8))
        guard case .deniedResponse? = response.httpResponse else { return #expect(Bool(false), "a permission") }
    }

    @Test func `an allowed check sets the identity headers, and removes all others of these names`() throws {
        let response = try Self.decoded(CheckAnswer(try DoorPermissionTests.permission(.envoyGRPC)))
        #expect(response.status.code == 0)
        #expect(Self.edits(response.okResponse.headers) == ["x-auth-subject: mira"])
        #expect(response.okResponse.headersToRemove.sorted() == ["Authorization", "X-Auth-Scope", "X-Token"])
        guard case .okResponse? = response.httpResponse else { return #expect(Bool(false), "a refusal") }
    }

    @Test func `headers that the proxy would not forward are removed under the client's spelling`() throws {
        let fields = [
            "X.Auth.Subject: admin", "x_auth_scope: all", "X-Auth-Subject: admin", "X-HTTP-Method-Override: DELETE",
            "X-Rewrite-URL: /admin",
            "X_Rewrite_URL: /admin", "Proxy: http://a", "Remote-User: admin", "X-Forwarded-Host: b",
            "X.Forwarded.For: 192.0.2.1",
            "Accept: */*",
            "X-Forwarded-For: 192.0.2.1", "X-Forwarded-Proto: https", "X-Request-ID: 7", "Cookie: a=b",
            "X-Forwarded-Client-Cert: Hash=1", "x-envoy-internal: true",
        ]
        func removed(isOfTrusted: Bool) throws -> [String] {
            let permission = try DoorPermissionTests.permission(.envoyGRPC, fields: fields, isOfTrusted: isOfTrusted)
            return try Self.decoded(CheckAnswer(permission)).okResponse.headersToRemove.sorted()
        }
        let always = [
            "Authorization", "Proxy", "X-Auth-Scope", "X-HTTP-Method-Override", "X-Rewrite-URL", "X-Token",
            "X.Auth.Subject",
            "X.Forwarded.For", "X_Rewrite_URL", "x_auth_scope",
        ]
        #expect(try removed(isOfTrusted: true) == always)
        #expect(try removed(isOfTrusted: false) == (always + ["Remote-User", "X-Forwarded-Host"]).sorted())
    }

    @Test(arguments: [
        ["Upgrade: h2c"], ["Upgrade: websocket", "Upgrade: h2c"], ["Upgrade: h2c", "Upgrade: websocket"],
        ["Upgrade: websocket, h2c"],
        ["Upgrade: websocket", "Upgrade: websocket"], ["upgrade: H2C"], ["Upgrade: websocket,"], ["Upgrade:"],
    ])
    func `an upgrade other than to WebSocket alone is removed, and HTTP2-Settings always (T500)`(_ lines: [String])
        throws
    {
        func removed(_ fields: [String]) throws -> [String] {
            let permission = try DoorPermissionTests.permission(.envoyGRPC, fields: fields)
            return try Self.decoded(CheckAnswer(permission)).okResponse.headersToRemove
                .filter { ["upgrade", "connection", "http2-settings"].contains($0.lowercased()) }.map {
                    $0.lowercased()
                }.sorted()
        }
        #expect(try removed(lines) == ["connection", "upgrade"])
        #expect(
            try removed(lines + ["HTTP2-Settings: AAMAAABkAAQAAP__"]) == ["connection", "http2-settings", "upgrade"])
        #expect(try removed(["Upgrade: WebSocket", "http2-settings: AAMAAABkAAQAAP__"]) == ["http2-settings"])
        #expect(try removed([]).isEmpty)
    }

    @Test func `a kept token is set and not removed`() throws {
        let response = try Self.decoded(CheckAnswer(try DoorPermissionTests.permission(.envoyGRPC, keepsToken: true)))
        #expect(Self.edits(response.okResponse.headers) == ["x-auth-subject: mira", "authorization: Bearer a.b.c"])
        #expect(response.okResponse.headersToRemove.sorted() == ["X-Auth-Scope", "X-Token"])
    }
}
