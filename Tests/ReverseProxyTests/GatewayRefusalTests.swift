import AccessControl
import Foundation
import JOSE
import KeySets
import NetworkNames
import ProxySettings
import RequestAuthorization
import Synchronization
import TestSupport
import Testing
import TokenVerification

@testable import ReverseProxy

/// The gateway's own answers, and the state of the connection afterwards.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct GatewayRefusalTests {
    @Test(arguments: [
        ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        ("GET / HTTP/1.1\nHost: a\n\n", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
        ("GET /../x HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nConnection: authorization\r\n\r\n", 400),
        ("CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", 405),
        ("GET / HTTP/1.1\r\nHost: a\r\nExpect: it\r\n\r\n", 417),
        ("GET /\(String(repeating: "a", count: 9000)) HTTP/1.1\r\nHost: a\r\n\r\n", 414),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 9000))\r\n\r\n", 431),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: cow\r\n\r\n", 501),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
        ("\u{16}\u{3}\u{1}\u{2}", 400),
    ])
    func `a malformed request never reaches an upstream, and the bytes after it are not parsed`(
        request: String, status: Int
    ) async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            client.send(request + "GET /next HTTP/1.1\r\nHost: a\r\n\r\n")
            let answer = try await client.receiveToEnd()
            #expect(firstLine(answer).hasPrefix("HTTP/1.1 \(status) "))
            #expect(values("connection", in: answer) == ["close"])
            #expect(answer.components(separatedBy: "HTTP/1.1 ").count == 2)
            #expect(gateway.upstream.connectionCount == 0)
            _ = try await gateway.logLines(1)
        }
    }

    @Test func `a request refused for its credentials keeps the connection, and its small body is discarded (T237)`()
        async throws
    {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            client.send("GET /private HTTP/1.1\r\nHost: a\r\n\r\n")
            let first = try await client.receive(through: "\r\n\r\n")
            #expect(firstLine(first) == "HTTP/1.1 401 Unauthorized")
            #expect(values("www-authenticate", in: first) == ["Bearer realm=\"closed\""])
            #expect(values("connection", in: first) == [])
            _ = try await client.receive(through: "}")
            client.send("POST /private HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nabc")
            _ = try await client.receive(through: "}")
            client.send("defHEAD /private HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(firstLine(try await client.receive(through: "\r\n\r\n")) == "HTTP/1.1 401 Unauthorized")
            // The answer to HEAD has no body: the next bytes are the next answer.
            client.send("GET /private HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 401 "))
            #expect(gateway.upstream.connectionCount == 0)
        }
    }

    @Test(arguments: [
        "Content-Length: 1073741824", "Transfer-Encoding: chunked", "Expect: 100-continue\r\nContent-Length: 5",
    ])
    func `a refused request with a body that may not end closes the connection after 64 KiB or a second (T237)`(
        field: String
    ) async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            client.send("POST /private HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n")
            let answer = try await client.receive(through: "}")
            #expect(firstLine(answer) == "HTTP/1.1 401 Unauthorized")
            #expect(values("connection", in: answer) == ["close"])
            if field.hasPrefix("Content") { try? await client.sendAll([UInt8](repeating: 0x61, count: 1 << 20)) }
            #expect(try await client.ends(within: .seconds(3)))
            #expect(gateway.upstream.connectionCount == 0)
        }
    }

    @Test func `a body over the limit is 413, with or without a Content-Length`() async throws {
        try await withGateway(GatewaySettings(limits: ProxyLimits(body: 4))) { gateway in
            let echo = Task {
                let server = try await gateway.upstream.connection()
                _ = try await server.receive(through: "wxyz")
                server.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
            let exact = try await gateway.connect()
            exact.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nwxyz")
            #expect(firstLine(try await exact.receive(through: "\r\n\r\n")) == "HTTP/1.1 200 OK")
            _ = try await echo.value
            try await expectFiveBytesRefused(gateway)
        }
    }

    // MARK: Keys

    /// A token of the known issuer whose key is not loaded yet. Its signature is never examined.
    static let token =
        "eyJhbGciOiJSUzI1NiIsImtpZCI6ImsxIn0.eyJpc3MiOiJodHRwczovL2lkcC5leGFtcGxlIiwiZXhwIjo0MDAwMDAwMDAwLCJhdWQiOiJhcGkifQ.AAAA"
    static let waiting = "GET /private HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n\r\n"

    @Test func `a request waits for keys and is judged again with the result`() async throws {
        let release = AsyncStream<Void>.makeStream()
        var settings = GatewaySettings()
        settings.answerWait = { wait in
            #expect(wait == .keys(KeyWait(issuer: 0, at: .keySet(0), keyID: "k1")))
            for await _ in release.stream { break }
            return .keys(.unavailable(retryAfter: .seconds(7)))
        }
        try await withGateway(settings) { gateway in
            let client = try await gateway.connect()
            client.send(Self.waiting + "GET /private HTTP/1.1\r\nHost: a\r\n\r\n")
            try await eventually { gateway.gateway.requestsWaitingForKeys == 1 }
            #expect(gateway.gateway.requestsWaitingForKeys == 1)
            #expect(client.text == "")
            release.continuation.yield()
            let answer = try await client.receive(through: "}")
            #expect(firstLine(answer) == "HTTP/1.1 503 Service Unavailable")
            #expect(values("retry-after", in: answer) == ["7"])
            #expect(firstLine(try await client.receive(through: "}")) == "HTTP/1.1 401 Unauthorized")
            #expect(gateway.gateway.requestsWaitingForKeys == 0)
        }
    }

    @Test func `a request waits for keys only once if none came`() async throws {
        var settings = GatewaySettings()
        settings.answerWait = { _ in .keys(.keysChanged) }
        try await withGateway(settings) { gateway in
            let client = try await gateway.connect()
            client.send(Self.waiting)
            #expect(firstLine(try await client.receive(through: "}")) == "HTTP/1.1 503 Service Unavailable")
            #expect(
                try await gateway.logLines(1).first?.contains(#""reason":"keys_unavailable","issuer":"idp""#) == true)
        }
    }

    /// The same token under another key ID.
    private static func naming(_ keyID: String) -> String {
        let header = Base64URL.encode(Array(#"{"alg":"RS256","kid":"\#(keyID)"}"#.utf8))
        let rest = token.drop { $0 != "." }
        return "GET /private HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(header)\(rest)\r\n\r\n"
    }

    @Test func `ten unasked key IDs per client and minute are 503, and further ones 401 (T504)`()
        async throws
    {
        try await withGateway(GatewaySettings(keys: TestKeys.set)) { gateway in
            let client = try await gateway.connect()
            for number in 1...12 {
                // A key ID named before does not count again.
                for _ in 0..<2 {
                    client.send(Self.naming("n\(number)"))
                    let answer = try await client.receive(through: "}")
                    #expect(
                        firstLine(answer)
                            == (number <= 10 ? "HTTP/1.1 503 Service Unavailable" : "HTTP/1.1 401 Unauthorized"))
                    #expect(values("retry-after", in: answer).count == (number <= 10 ? 1 : 0))
                    #expect(values("www-authenticate", in: answer).count == (number <= 10 ? 0 : 1))
                }
            }
            let lines = try await gateway.logLines(24)
            #expect(lines.count { $0.contains(#""reason":"key_not_asked""#) } == 20)
            #expect(lines.count { $0.contains(#""reason":"unknown_kid""#) } == 4)
            #expect(gateway.gateway.state.limits.counts[.unaskedKeyIDsPerAddress] == 4)
        }
    }

    @Test func `a client that repeats one unasked key ID gets 503 at most 120 times a minute (T504)`()
        async throws
    {
        try await withGateway(GatewaySettings(keys: TestKeys.set)) { gateway in
            let client = try await gateway.connect()
            var statuses: [String] = []
            for _ in 1...123 {
                client.send(Self.naming("n1"))
                statuses.append(firstLine(try await client.receive(through: "}")))
            }
            #expect(statuses.prefix(120).allSatisfy { $0 == "HTTP/1.1 503 Service Unavailable" })
            #expect(statuses.dropFirst(120) == Array(repeating: "HTTP/1.1 401 Unauthorized", count: 3)[...])
            #expect(gateway.gateway.state.limits.counts[.unaskedKeyIDsPerAddress] == 3)
        }
    }

    @Test func `a key ID that is not printable ASCII is 401, and does not count among the ten`() async throws {
        try await withGateway(GatewaySettings(keys: TestKeys.set)) { gateway in
            let client = try await gateway.connect()
            for number in 1...12 {
                client.send(Self.naming("é\(number)"))
                #expect(firstLine(try await client.receive(through: "}")) == "HTTP/1.1 401 Unauthorized")
            }
            client.send(Self.naming("n1"))
            #expect(firstLine(try await client.receive(through: "}")) == "HTTP/1.1 503 Service Unavailable")
        }
    }

    @Test func `a request over the limit of requests waiting for keys is 503 as an unasked key ID`() async throws {
        var settings = GatewaySettings(limits: ProxyLimits(waitingForKeys: 0), keys: TestKeys.set)
        settings.canWait = true
        try await withGateway(settings) { gateway in
            let client = try await gateway.connect()
            client.send(Self.naming("n1"))
            let answer = try await client.receive(through: "}")
            #expect(firstLine(answer) == "HTTP/1.1 503 Service Unavailable")
            #expect(values("retry-after", in: answer) == ["1"])
            #expect(try await gateway.logLines(1)[0].contains(#""reason":"key_not_asked""#))
            #expect(gateway.gateway.state.limits.counts[.waitingForKeys] == 1)
        }
    }

    @Test func `requests over the limit of requests waiting for keys are 503 at once (T362)`() async throws {
        let release = AsyncStream<Void>.makeStream()
        var settings = GatewaySettings(limits: ProxyLimits(waitingForKeys: 1))
        settings.answerWait = { _ in
            for await _ in release.stream { break }
            return .keys(.confirmedUnknown)
        }
        try await withGateway(settings) { gateway in
            let first = try await gateway.connect()
            first.send(Self.waiting)
            try await eventually { gateway.gateway.requestsWaitingForKeys == 1 }
            let second = try await gateway.connect()
            second.send(Self.waiting)
            #expect(firstLine(try await second.receive(through: "}")) == "HTTP/1.1 503 Service Unavailable")
            release.continuation.yield()
            #expect(firstLine(try await first.receive(through: "}")) == "HTTP/1.1 503 Service Unavailable")
        }
    }

    // MARK: Limits

    @Test func `requests over the limit of requests in flight are 503 overloaded (T406)`() async throws {
        try await withGateway(GatewaySettings(limits: ProxyLimits(inFlight: 1))) { gateway in
            let first = try await gateway.connect()
            first.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            #expect(gateway.gateway.requestsInFlight == 1)
            let second = try await gateway.connect()
            second.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(firstLine(try await second.receive(through: "}")) == "HTTP/1.1 503 Service Unavailable")
            #expect(try await gateway.logLines(1).first?.contains(#""reason":"overloaded""#) == true)
            server.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            _ = try await first.receive(through: "\r\n\r\n")
            try await eventually { gateway.gateway.requestsInFlight == 0 }
        }
    }

    private static let request = "GET / HTTP/1.1\r\nHost: a\r\n"

    /// A client whose request is held at an upstream until released.
    private struct HeldRequest {
        let client: RawPeer
        let server: RawPeer

        func letGo() {
            server.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            client.close()
        }
    }

    private func inFlight(_ gateway: GatewayFixture, _ fields: String = "", announcing line: String = "") async throws
        -> HeldRequest
    {
        let index = gateway.upstream.connectionCount
        let client = try await gateway.connect()
        client.send("\(line)\(Self.request)\(fields)\r\n")
        let server = try await gateway.upstream.connection(index)
        _ = try await server.receive(through: "\r\n\r\n")
        return HeldRequest(client: client, server: server)
    }

    /// The status line of the answer to a refused request.
    private func refused(_ gateway: GatewayFixture, _ fields: String = "", announcing line: String = "") async throws
        -> String
    {
        let client = try await gateway.connect()
        // The share of a peer exists as long as it has an open connection.
        defer { client.close() }
        client.send("\(line)\(Self.request)\(fields)\r\n")
        return firstLine(try await client.receive(through: "}"))
    }

    private static let overloaded = "HTTP/1.1 503 Service Unavailable"

    @Test func `one client can take half of the requests in flight, and other clients still get some (T408)`()
        async throws
    {
        var settings = GatewaySettings(limits: ProxyLimits(inFlight: 4))
        settings.trustedProxies = try [#require(AddressRange("127.0.0.1")), #require(AddressRange("10.0.0.0/8"))]
        try await withGateway(settings) { gateway in
            var held: [HeldRequest] = []
            for _ in 0..<2 { held.append(try await inFlight(gateway, "X-Forwarded-For: 192.0.2.7\r\n")) }
            #expect(try await refused(gateway, "X-Forwarded-For: 192.0.2.7\r\n") == Self.overloaded)
            // Addresses to the left of the trusted proxy do not change the client.
            #expect(
                try await refused(gateway, "X-Forwarded-For: 198.51.100.9, 192.0.2.7, 10.1.1.1\r\n") == Self.overloaded)
            let log = try await gateway.logLines(2)
            #expect(log.allSatisfy { $0.contains(#""reason":"overloaded""#) && $0.contains("in_flight_per_address") })
            #expect(gateway.gateway.state.limits.counts[.inFlightPerAddress] == 2)
            held.append(try await inFlight(gateway, "X-Forwarded-For: 192.0.2.8\r\n"))
            // A request whose address is a trusted proxy's has no client share, since all clients may be behind it.
            held.append(try await inFlight(gateway, "X-Forwarded-For: 10.1.1.1\r\n"))
            #expect(try await refused(gateway) == Self.overloaded)
            #expect(gateway.gateway.state.limits.counts[.inFlight] == 1)
            // A released slot can be taken again.
            for _ in 0..<2 { held.removeFirst().letGo() }
            try await eventually { gateway.gateway.requestsInFlight == 2 }
            held.append(try await inFlight(gateway, "X-Forwarded-For: 192.0.2.7\r\n"))
            for request in held { request.letGo() }
            try await eventually { gateway.gateway.requestsInFlight == 0 }
            #expect(gateway.gateway.clientsInFlight == 0)
        }
    }

    @Test(arguments: [(AddressShare.fair, 4), (.atMost(6), 6), (.unbounded, 8)])
    func `without proxies all connections of one peer address count as one client`(
        _ share: AddressShare, _ most: Int
    ) async throws {
        try await withGateway(GatewaySettings(limits: ProxyLimits(inFlight: 8, inFlightPerAddress: share))) { gateway in
            var held: [HeldRequest] = []
            for _ in 0..<most { held.append(try await inFlight(gateway, "X-Forwarded-For: 192.0.2.\(held.count)\r\n")) }
            #expect(try await refused(gateway, "X-Forwarded-For: 192.0.2.99\r\n") == Self.overloaded)
            #expect(gateway.gateway.state.limits.counts[most == 8 ? .inFlight : .inFlightPerAddress] == 1)
            for request in held { request.letGo() }
            try await eventually { gateway.gateway.requestsInFlight == 0 }
        }
    }

    @Test func `each client announced by a PROXY header has its own share of requests in flight`() async throws {
        var settings = GatewaySettings(limits: ProxyLimits(inFlight: 4))
        settings.proxies = [try #require(AddressRange("127.0.0.1"))]
        @Sendable func announced(_ address: String) -> String { "PROXY TCP4 \(address) 203.0.113.1 5000 80\r\n" }
        try await withGateway(settings) { gateway in
            var held: [HeldRequest] = []
            for _ in 0..<2 { held.append(try await inFlight(gateway, announcing: announced("192.0.2.7"))) }
            #expect(try await refused(gateway, announcing: announced("192.0.2.7")) == Self.overloaded)
            held.append(try await inFlight(gateway, announcing: announced("192.0.2.8")))
            for request in held { request.letGo() }
            try await eventually { gateway.gateway.requestsInFlight == 0 && gateway.gateway.clientsInFlight == 0 }
        }
    }

    @Test func `connections over the limit wait until one ends (T397)`() async throws {
        try await withGateway(GatewaySettings(limits: ProxyLimits(connections: 2))) { gateway in
            let first = try await gateway.connect()
            let second = try await gateway.connect()
            try await eventually { gateway.gateway.openConnections == 2 }
            let third = try await gateway.connect()
            try await third.sendAll(Array("GET /private HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
            // The event loop that accepts answers another connection twice, and has not accepted the third.
            for _ in 0..<2 {
                second.send("GET /private HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try await second.receive(through: "}")
            }
            #expect(gateway.gateway.openConnections == 2 && third.text == "")
            first.close()
            #expect(firstLine(try await third.receive(through: "}")) == "HTTP/1.1 401 Unauthorized")
        }
    }

    @Test func `connections of one address over its limit are closed at once (T397)`() async throws {
        try await withGateway(GatewaySettings(limits: ProxyLimits(connectionsPerAddress: 1))) { gateway in
            let first = try await gateway.connect()
            try await eventually { gateway.gateway.openConnections == 1 }
            let second = try await gateway.connect()
            #expect(try await second.ends())
            first.close()
            try await eventually { gateway.gateway.openConnections == 0 }
            let third = try await gateway.connect()
            third.send("GET /private HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try await third.receive(through: "}")
        }
    }

    @Test func `a connection ends with its last allowed request`() async throws {
        try await withGateway(GatewaySettings(limits: ProxyLimits(requestsPerConnection: 2))) { gateway in
            let client = try await gateway.connect()
            let request = "GET /private HTTP/1.1\r\nHost: a\r\n\r\n"
            client.send(request + request + request)
            let answers = try await client.receiveToEnd()
            #expect(answers.components(separatedBy: "HTTP/1.1 401").count == 3)
            #expect(answers.components(separatedBy: "connection: close").count == 2)
        }
    }
}
