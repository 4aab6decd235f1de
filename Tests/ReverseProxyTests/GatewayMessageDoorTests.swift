import AccessControl
import HTTPMessages
import NIOCore
import NIOHPACK
import NetworkNames
import ProxySettings
import RequestAuthorization
import SwiftProtobuf
import Testing

@testable import AuthorizationDoors
@testable import ReverseProxy

/// A proxy that asks with gRPC messages, over real sockets.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct GatewayMessageDoorTests {
    private static func settings(
        from ranges: [String] = ["127.0.0.0/8"], _ change: (inout GatewaySettings) throws -> Void = { _ in }
    ) throws -> GatewaySettings {
        var settings = GatewaySettings()
        settings.service = .plain(.http2)
        settings.door = Door(kind: .envoyGRPC, peers: try ranges.map { try #require(AddressRange($0)) })
        try change(&settings)
        return settings
    }

    private static let call = [
        (":method", "POST"), (":scheme", "http"), (":path", "/envoy.service.auth.v3.Authorization/Check"),
        (":authority", "judge"),
        ("content-type", "application/grpc"), ("te", "trailers"),
    ]

    private static func question(
        _ method: String, _ path: String, _ fields: [String: String] = [:], host: String = "a",
        client: String = "192.0.2.9"
    ) throws -> [UInt8] {
        var check = EnvoyCheckRequest()
        check.attributes.source.address.socketAddress.address = client
        check.attributes.request.http.method = method
        check.attributes.request.http.path = path
        check.attributes.request.http.host = host
        check.attributes.request.http.scheme = "https"
        check.attributes.request.http.headers = fields
        return CheckMessage.prefixed(try check.serializedBytes())
    }

    /// A connection of a proxy, with the HPACK state of its answers.
    private final class Caller {
        let client: HTTP2Peer
        private var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
        private var stream: UInt32 = 1

        init(_ gateway: GatewayFixture) async throws { client = try await HTTP2Peer.connect(gateway) }

        /// Sends a message in parts and returns the answer.
        func ask(_ content: [UInt8], parts: Int = 1, on fields: [(String, String)] = call) async throws
            -> HTTP2Peer.Answer
        {
            client.request(fields, stream: stream, ends: false)
            let size = max(1, (content.count + parts - 1) / parts)
            for start in Swift.stride(from: 0, to: max(1, content.count), by: size) {
                let end = min(start + size, content.count)
                client.send(.data, flags: end == content.count ? 1 : 0, stream: stream, Array(content[start..<end]))
            }
            defer { stream += 2 }
            return try await client.answer(stream: stream, &decoder)
        }

        /// Sends a question and returns the check response of its answer.
        func check(_ content: [UInt8], parts: Int = 1) async throws -> EnvoyCheckResponse {
            let answer = try await ask(content, parts: parts)
            #expect(answer.status == "200")
            #expect(answer.heads.last?["content-type"] == ["application/grpc"])
            #expect(answer.trailers?["grpc-status"] == ["0"])
            #expect(
                Array(answer.content.prefix(5))
                    == CheckMessage.prefixed(Array(answer.content.dropFirst(5))).prefix(5).map { $0 })
            return try EnvoyCheckResponse(serializedBytes: Array(answer.content.dropFirst(5)))
        }
    }

    private static func value(_ name: String, of denial: EnvoyDenial) -> [String] {
        denial.headers.filter { $0.header.key == name }.map(\.header.value)
    }

    // MARK: Verdicts

    @Test func `the stated request is judged, and the connection serves the next question`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let caller = try await Caller(gateway)
            let permitted = try await caller.check(try Self.question("POST", "/public?a=1"))
            #expect(permitted.status.code == 0)
            #expect(permitted.okResponse.headersToRemove.contains("X-Auth-Subject"))
            let refused = try await caller.check(try Self.question("POST", "/private"))
            #expect(refused.status.code == 7)
            #expect(refused.deniedResponse.status.code == 401)
            #expect(Self.value("www-authenticate", of: refused.deniedResponse) == [#"Bearer realm="closed""#])
            #expect(Self.value("content-type", of: refused.deniedResponse) == ["application/problem+json"])
            let body = String(decoding: refused.deniedResponse.body, as: UTF8.self)
            #expect(body.hasPrefix(#"{"type":"about:blank","title":"Unauthorized","status":401"#))
            #expect(gateway.upstream.connectionCount == 0)
            let log = try await gateway.logLines(2)
            #expect(log[0].contains(#""client":"192.0.2.9","method":"POST","host":"a","path":"/public""#), "\(log[0])")
            #expect(log[0].contains(#""status":200,"reason":null"#))
            #expect(log[0].contains(#""door":"envoy-grpc""#))
            #expect(log[1].contains(#""status":401,"reason":"missing_credentials""#))
            #expect(
                try await holds {
                    gateway.gateway.state.doorAnswers.counts == [
                        ["envoy-grpc", "permitted"]: 1,
                        ["envoy-grpc", "refused"]: 1,
                    ]
                })
        }
    }

    @Test func `a wait for keys that fails is 503 in the message, with Retry-After`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let token = "Bearer eyJhbGciOiJSUzI1NiIsImtpZCI6ImEifQ.eyJpc3MiOiJodHRwczovL2lkcC5leGFtcGxlIn0.AAAA"
            let response = try await Caller(gateway).check(
                try Self.question("GET", "/private", ["authorization": token]))
            #expect(response.deniedResponse.status.code == 503)
            #expect(Self.value("retry-after", of: response.deniedResponse) == ["7"])
        }
    }

    @Test func `metadata and preflight answers are denied responses, never permissions`() async throws {
        let settings = try Self.settings {
            $0.crossOrigin = CrossOriginPolicy(
                origins: .listed([try OriginPattern("https://app.example")]), allowsCredentials: false,
                exposedFields: [])
        }
        try await withGateway(settings) { gateway in
            let caller = try await Caller(gateway)
            let path = "/.well-known/oauth-protected-resource/documented"
            let document = try await caller.check(try Self.question("GET", path, host: "api.example"))
            #expect(document.status.code == 7 && document.deniedResponse.status.code == 200)
            #expect(String(decoding: document.deniedResponse.body, as: UTF8.self).contains("\"resource\""))
            let preflight = try await caller.check(
                try Self.question(
                    "OPTIONS", "/private", ["origin": "https://app.example", "access-control-request-method": "PUT"]))
            #expect(preflight.status.code == 7 && preflight.deniedResponse.status.code == 204)
            #expect(Self.value("access-control-allow-methods", of: preflight.deniedResponse) == ["PUT"])
        }
    }

    @Test(arguments: ["/public/../private", "/a%2Fb", "/a//b", "/a;x=1", "/a%00", "/a\\b"])
    func `a stated path that is ambiguous is refused`(path: String) async throws {
        try await withGateway(Self.settings()) { gateway in
            let response = try await Caller(gateway).check(try Self.question("GET", path))
            #expect(response.deniedResponse.status.code == 400)
        }
    }

    // MARK: Messages

    @Test func `a message may arrive in parts, and the body limit does not apply to it`() async throws {
        let settings = try Self.settings { $0.limits.body = 10 }
        try await withGateway(settings) { gateway in
            let caller = try await Caller(gateway)
            for parts in [2, 7, 40] {
                #expect(try await caller.check(try Self.question("GET", "/public"), parts: parts).status.code == 0)
            }
        }
    }

    @Test func `a malformed message is 400, a too long message 431, and the next question is judged`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let caller = try await Caller(gateway)
            let good = try Self.question("GET", "/public")
            let wrong: [[UInt8]] = [
                [], [0], Array(good.dropLast()), good + good, [1] + good.dropFirst(), [0, 0, 0, 0, 0],
            ]
            for content in wrong {
                #expect(try await caller.check(content).deniedResponse.status.code == 400)
            }
            let long = try Self.question("GET", "/public", ["x": String(repeating: "a", count: 9 * 1024)])
            #expect(try await caller.check(long, parts: 3).deniedResponse.status.code == 431)
            #expect(try await caller.check(good).status.code == 0)
        }
    }

    @Test func `an endless message is refused before it is complete`() async throws {
        try await withGateway(Self.settings { $0.limits.head.head = 4096 }) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            client.request(Self.call, ends: false)
            // More than the limit of a question, and less than a stream's window.
            for _ in 0..<6 { client.send(.data, stream: 1, [UInt8](repeating: 0, count: 16_384)) }
            let answer = try await client.answer()
            let response = try EnvoyCheckResponse(serializedBytes: Array(answer.content.dropFirst(5)))
            #expect(response.deniedResponse.status.code == 431)
        }
    }

    @Test func `a proxy that stalls within a message gets 408 in time`() async throws {
        try await withGateway(Self.settings { $0.timeouts.head = .milliseconds(300) }) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            client.request(Self.call, ends: false)
            client.send(.data, stream: 1, [0, 0, 0])
            let answer = try await client.answer()
            let response = try EnvoyCheckResponse(serializedBytes: Array(answer.content.dropFirst(5)))
            #expect(response.deniedResponse.status.code == 408)
        }
    }

    @Test func `calls that are reset within their message do not disturb later calls`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            for number in 0..<20 {
                let stream = UInt32(2 * number + 1)
                client.request(Self.call, stream: stream, ends: false)
                client.send(.data, stream: stream, [0, 0, 0])
                client.send(.resetStream, stream: stream, [0, 0, 0, 8])
            }
            try await client.settle()
            client.request(Self.call, stream: 41, ends: false)
            client.send(.data, flags: 1, stream: 41, try Self.question("GET", "/public"))
            #expect(try await client.answer(stream: 41).trailers?["grpc-status"] == ["0"])
        }
    }

    @Test func `only the Check call is accepted; other gRPC methods and ordinary requests are refused`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let caller = try await Caller(gateway)
            let question = try Self.question("GET", "/public")
            var other = Self.call
            other[2].1 = "/envoy.service.auth.v2.Authorization/Check"
            let answer = try await caller.ask(question, on: other)
            #expect(answer.heads.last?["grpc-status"] == ["13"])
            #expect(answer.content.isEmpty)
            var plain = Self.call
            plain[4].1 = "application/json"
            #expect(try await caller.ask(question, on: plain).status == "400")
            #expect(gateway.upstream.connectionCount == 0)
        }
    }

    // MARK: Who asks, and for whom

    @Test func `a peer outside the allowed addresses of a gRPC door learns nothing (T493)`() async throws {
        try await withGateway(Self.settings(from: ["192.0.2.0/24"])) { gateway in
            let answer = try await Caller(gateway).ask(try Self.question("GET", "/public"))
            #expect(answer.heads.last?["grpc-status"] == ["7"])
            #expect(answer.content.isEmpty)
            #expect(try await gateway.logLines(1)[0].contains(#""reason":"door_untrusted""#))
        }
    }

    @Test func `the client is the source that the proxy states, or the one a trusted source names`() async throws {
        let settings = try Self.settings { $0.trustedProxies = [try #require(AddressRange("198.51.100.0/24"))] }
        try await withGateway(settings) { gateway in
            let caller = try await Caller(gateway)
            let named = ["x-forwarded-for": "192.0.2.1, 192.0.2.2"]
            for client in ["203.0.113.5", "198.51.100.1", "2001:db8::1", "not an address", ""] {
                _ = try await caller.check(try Self.question("GET", "/public", named, client: client))
            }
            let log = try await gateway.logLines(5)
            let clients = log.map { $0.firstMatch(of: /"client":"([^"]*)"/).map { String($0.1) } ?? "" }
            #expect(clients == ["203.0.113.5", "192.0.2.2", "2001:db8::1", "127.0.0.1", "127.0.0.1"])
        }
    }
}
