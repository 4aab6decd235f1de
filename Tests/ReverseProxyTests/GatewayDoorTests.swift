import AccessControl
import AuthorizationDoors
import Foundation
import JOSE
import KeySets
import NetworkNames
import ProxySettings
import RequestAuthorization
import TestSupport
import Testing
import TransportSecurity

@testable import ReverseProxy

/// Forward auth (doors): proxies that ask over real sockets.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct GatewayDoorTests {
    private static func settings(
        _ kind: DoorKind = .nginx, from ranges: [String]? = ["127.0.0.0/8"],
        _ change: (inout GatewaySettings) throws -> Void = { _ in }
    ) throws -> GatewaySettings {
        var settings = GatewaySettings()
        settings.door = Door(kind: kind, peers: try ranges?.map { try #require(AddressRange($0)) })
        try change(&settings)
        return settings
    }

    /// A question with the `X-Original-*` fields, as nginx and HAProxy ask.
    private static func question(_ method: String, _ target: String, _ fields: String = "", host: String = "a")
        -> String
    {
        "GET /door HTTP/1.1\r\nHost: door\r\nX-Original-Method: \(method)\r\nX-Original-URI: \(target)\r\n"
            + "X-Original-Host: \(host)\r\nX-Original-Proto: https\r\n\(fields)\r\n"
    }

    private static func forwarded(_ method: String, _ target: String, _ fields: String = "") -> String {
        "GET /door HTTP/1.1\r\nHost: door\r\nX-Forwarded-Method: \(method)\r\nX-Forwarded-Uri: \(target)\r\n"
            + "X-Forwarded-Host: a\r\nX-Forwarded-Proto: https\r\n\(fields)\r\n"
    }

    /// Head and content of the next answer on a connection.
    private static func answer(to question: String, on client: RawPeer) async throws -> (head: String, content: String)
    {
        client.send(question)
        let head = try await client.receive(through: "\r\n\r\n")
        let length = Int(values("content-length", in: head).first ?? "0") ?? 0
        guard length > 0, !question.hasPrefix("HEAD") else { return (head, "") }
        return (head, String(decoding: try await client.receive(count: length), as: UTF8.self))
    }

    // MARK: The request that is judged

    @Test func `the stated method is judged, and the method of the proxy's own request is ignored (T492)`() async throws
    {
        try await withGateway(Self.settings()) { gateway in
            let client = try await gateway.connect()
            let permitted = try await Self.answer(
                to: Self.question("POST", "/public?a=1", "X-Forwarded-For: 192.0.2.9\r\n"), on: client)
            #expect(firstLine(permitted.head) == "HTTP/1.1 200 OK")
            #expect(values("content-length", in: permitted.head) == ["0"])
            let refused = try await Self.answer(to: Self.question("POST", "/private"), on: client)
            #expect(firstLine(refused.head) == "HTTP/1.1 401 Unauthorized")
            #expect(values("www-authenticate", in: refused.head) == [#"Bearer realm="closed""#])
            #expect(values("x-bearward-status", in: refused.head) == ["401"])
            #expect(
                values("x-bearward-body", in: refused.head).first?.hasPrefix(
                    #"{"type":"about:blank","title":"Unauthorized""#) == true)
            #expect(gateway.upstream.connectionCount == 0)
            let log = try await gateway.logLines(2)
            #expect(log[0].contains(#""client":"192.0.2.9","method":"POST","host":"a","path":"/public""#))
            #expect(log[0].contains(#""status":200,"reason":null"#))
            #expect(log[0].contains(#""door":"nginx""#))
            #expect(log[1].contains(#""client":"127.0.0.1","method":"POST","host":"a","path":"/private""#))
            #expect(log[1].contains(#""status":401,"reason":"missing_credentials""#))
            #expect(
                try await holds {
                    gateway.gateway.state.doorAnswers.counts == [
                        ["nginx", "permitted"]: 1,
                        ["nginx", "refused"]: 1,
                    ]
                })
        }
    }

    @Test(arguments: [
        ("/public/../private", "400"), ("/public/%2e%2e/private", "400"), ("/a//b", "400"), ("/a%2Fb", "400"),
        ("/a;x=1", "400"),
        ("/%ff", "400"), ("/a%00", "400"), ("/a%252e", "400"), ("/a\\b", "400"),
    ])
    func `a stated path that is ambiguous is refused, and the connection stays open`(target: String, status: String)
        async throws
    {
        try await withGateway(Self.settings()) { gateway in
            let client = try await gateway.connect()
            for _ in 0..<2 {
                let answer = try await Self.answer(to: Self.question("GET", target), on: client)
                #expect(firstLine(answer.head) == "HTTP/1.1 403 Forbidden")
                #expect(values("x-bearward-status", in: answer.head) == [status])
                #expect(values("connection", in: answer.head) == [])
            }
        }
    }

    @Test func `a question without the door's fields is 400, even with the fields of another kind of door`()
        async throws
    {
        try await withGateway(Self.settings(.traefik)) { gateway in
            let client = try await gateway.connect()
            for question in ["GET /public HTTP/1.1\r\nHost: a\r\n\r\n", Self.question("GET", "/public")] {
                let answer = try await Self.answer(to: question, on: client)
                #expect(firstLine(answer.head) == "HTTP/1.1 400 Bad Request")
                #expect(answer.content.hasPrefix(#"{"type":"about:blank","title":"Bad Request","status":400"#))
            }
            let permitted = try await Self.answer(to: Self.forwarded("GET", "/public"), on: client)
            #expect(firstLine(permitted.head) == "HTTP/1.1 200 OK")
            let log = try await gateway.logLines(3)
            #expect(log[0].contains(#""reason":"door_request_invalid""#))
            #expect(log[1].contains(#""reason":"door_request_invalid""#))
        }
    }

    @Test func `the request that Envoy sends is itself the one that is judged`() async throws {
        try await withGateway(Self.settings(.envoyHTTP)) { gateway in
            let client = try await gateway.connect()
            func status(_ line: String, _ fields: String = "x-forwarded-proto: https\r\n") async throws -> String {
                firstLine(try await Self.answer(to: "\(line) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n", on: client).head)
            }
            #expect(try await status("POST /public") == "HTTP/1.1 200 OK")
            #expect(try await status("POST /private") == "HTTP/1.1 401 Unauthorized")
            #expect(
                try await status("GET /private", "x-forwarded-proto: https\r\nx-forwarded-uri: /public\r\n")
                    == "HTTP/1.1 401 Unauthorized")
            #expect(try await status("GET /public", "") == "HTTP/1.1 400 Bad Request")
        }
    }

    @Test func `a question may be a HEAD, have a body, or come from HTTP/1.0`() async throws {
        try await withGateway(Self.settings(.haproxy)) { gateway in
            let client = try await gateway.connect()
            let head = Self.question("GET", "/private").replacing("GET /door", with: "HEAD /door")
            #expect(firstLine(try await Self.answer(to: head, on: client).head) == "HTTP/1.1 401 Unauthorized")
            let body = Self.question("GET", "/public", "Content-Length: 3\r\n") + "abc"
            #expect(firstLine(try await Self.answer(to: body, on: client).head) == "HTTP/1.1 200 OK")
            let old = Self.question("GET", "/public").replacing("HTTP/1.1", with: "HTTP/1.0")
            let last = try await Self.answer(to: old, on: client)
            #expect(values("connection", in: last.head) == ["close"])
            #expect(try await client.ends())
        }
    }

    // MARK: Who may ask

    @Test func `a peer outside the allowed addresses of a door gets 403 and learns nothing (T493)`() async throws {
        try await withGateway(Self.settings(.caddy, from: ["192.0.2.0/24"])) { gateway in
            let client = try await gateway.connect()
            // The address that an unlisted peer states is ignored.
            let question = Self.forwarded("GET", "/public", "X-Forwarded-For: 192.0.2.1\r\n")
            #expect(firstLine(try await Self.answer(to: question, on: client).head) == "HTTP/1.1 403 Forbidden")
            #expect(try await client.ends())
            #expect(try await gateway.logLines(1)[0].contains(#""reason":"door_untrusted""#))
        }
    }

    // MARK: Limits

    @Test func `the connection limit per address does not apply to proxies at a door`() async throws {
        let settings = try Self.settings {
            $0.limits.connectionsPerAddress = 1
        }
        try await withGateway(settings) { gateway in
            // Connections of a proxy do not count as connections of one client.
            let (first, second) = (try await gateway.connect(), try await gateway.connect())
            for client in [first, second] {
                #expect(
                    firstLine(try await Self.answer(to: Self.question("GET", "/public"), on: client).head)
                        == "HTTP/1.1 200 OK")
            }
        }
    }

    // MARK: Answers of the gateway's own

    @Test(arguments: DoorKind.allCases.filter { !$0.asksByMessage })
    func `a gateway answer with a success status never reads as a permission`(kind: DoorKind) async throws {
        let settings = try Self.settings(kind) {
            $0.crossOrigin = CrossOriginPolicy(
                origins: .listed([try OriginPattern("https://app.example")]), allowsCredentials: false,
                exposedFields: [])
        }
        try await withGateway(settings) { gateway in
            let client = try await gateway.connect()
            func answer(_ method: String, _ target: String, _ fields: String = "") async throws -> (
                head: String, content: String
            ) {
                let question =
                    switch kind {
                    case .nginx, .haproxy: Self.question(method, target, fields, host: "api.example")
                    case .traefik, .caddy:
                        Self.forwarded(method, target, fields).replacing(
                            "X-Forwarded-Host: a", with: "X-Forwarded-Host: api.example")
                    case .envoyHTTP, .envoyGRPC:
                        "\(method) \(target) HTTP/1.1\r\nHost: api.example\r\nx-forwarded-proto: https\r\n\(fields)\r\n"
                    }
                return try await Self.answer(to: question, on: client)
            }
            let document = try await answer("GET", "/.well-known/oauth-protected-resource/documented")
            let preflight = try await answer(
                "OPTIONS", "/private", "Origin: https://app.example\r\nAccess-Control-Request-Method: PUT\r\n")
            switch kind {
            case .nginx:
                #expect(firstLine(document.head) == "HTTP/1.1 403 Forbidden")
                #expect(values("x-bearward-status", in: document.head) == ["200"])
                #expect(values("x-bearward-body", in: document.head).first?.contains("\"resource\"") == true)
                #expect(values("content-type", in: document.head) == ["application/json"])
                #expect(firstLine(preflight.head) == "HTTP/1.1 403 Forbidden")
                #expect(values("x-bearward-status", in: preflight.head) == ["204"])
                #expect(values("access-control-allow-methods", in: preflight.head) == ["PUT"])
            case .haproxy:
                #expect(firstLine(document.head) == "HTTP/1.1 200 OK")
                #expect(values("x-bearward-verdict", in: document.head) == ["answer"])
                #expect(document.content.contains("\"resource\""))
                #expect(firstLine(preflight.head) == "HTTP/1.1 204 No Content")
                #expect(values("x-bearward-verdict", in: preflight.head) == ["answer"])
            case .envoyHTTP, .envoyGRPC:
                #expect(firstLine(document.head) == "HTTP/1.1 404 Not Found")
                // Envoy takes only 200 for a permission.
                #expect(firstLine(preflight.head) == "HTTP/1.1 204 No Content")
            case .traefik, .caddy:
                #expect(firstLine(document.head) == "HTTP/1.1 404 Not Found")
                #expect(firstLine(preflight.head) == "HTTP/1.1 404 Not Found")
                let log = try await gateway.logLines(2)
                #expect(log.allSatisfy { $0.contains(#""status":404,"reason":"door_cannot_answer""#) })
            }
        }
    }

    @Test func `a wait for keys that fails is 503 at a door, with Retry-After`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await gateway.connect()
            let token =
                "Authorization: Bearer eyJhbGciOiJSUzI1NiIsImtpZCI6ImEifQ.eyJpc3MiOiJodHRwczovL2lkcC5leGFtcGxlIn0.AAAA\r\n"
            let answer = try await Self.answer(to: Self.question("GET", "/private", token), on: client)
            #expect(firstLine(answer.head) == "HTTP/1.1 403 Forbidden")
            #expect(values("x-bearward-status", in: answer.head) == ["503"])
            #expect(values("retry-after", in: answer.head) == ["7"])
        }
    }
}
